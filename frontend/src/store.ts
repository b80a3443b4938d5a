// The state of the page in one place. A component reads a part of it by `useStore(state => part)`.

import { useSyncExternalStore } from "react";
import type { Checked, CodeData, Entry, Facts, JobStatus, ModelData, NumericBranches, Options, StructureData } from "./api";
import type { Pose } from "./geometry";
import type { Closer } from "./loops";
import type { Runner } from "./program";
import type { Coordinates, Platform } from "./platform";
import type { Robot } from "./robot";
import { type FreePose, AT_REST } from "./free";
import { type Run, type Scenario, SCENARIO } from "./run";

export type View = "equations" | "code" | "both" | "values" | "branches";

export interface Result {
  id: number;
  entry: Entry;
  options: Options;
  /** The robot of the data, without numbers: an edit of a value does not make a result older. */
  key: string;
  robot: Robot;
  state: "running" | "done" | "failed" | "cancelled";
  job: JobStatus | null;
  data: ModelData | null;
  dataJob: string;
  runner: Runner | null;
  message: string;
  view: View;
  /** Equations with intermediate variables, or written out. */
  form: "named" | "expanded";
  expanded: ModelData | null;
  target: string;
  code: Record<string, CodeData>;
  codeMessage: string;
  file: string;
  open: Record<number, boolean>;
}

export interface Linked {
  /** A symbol by its name, or a joint. */
  symbol: string | null;
  joint: number | null;
  /** The cell at which one points, if it is a cell: its length or angle is drawn. */
  cell: string | null;
  pinned: boolean;
}

export interface Sizes { robot: number | null; results: number | null; code: number | null }

export interface State {
  facts: Facts | null;
  library: { structure: string; robot: Robot }[];
  failure: string;
  robot: Robot | null;
  saved: Robot | null;
  past: Robot[];
  future: Robot[];
  changed: string;
  valid: Record<string, string>;
  checked: Checked;
  checking: boolean;
  recent: { at: number; robot: Robot }[];
  q: Record<string, number>;
  qd: Record<string, number>;
  qdd: Record<string, number>;
  /** The pose of a base that is free to move. */
  free: FreePose;
  /** The six numbers of a platform's pose, and what moves the legs with it. */
  platform: Coordinates | null;
  mover: Platform | null;
  /** Velocity and acceleration [v; ω] of a platform in a run; null at rest. */
  twist: { V: number[]; VP: number[] } | null;
  /** Whether an edit of one leg is one of each leg that has the same text there. */
  alike: boolean;
  scenario: Scenario;
  run: Run | null;
  closer: Closer | null;
  loopMessage: string;
  structure: StructureData | null;
  results: Result[];
  shown: number | null;
  beside: number | null;
  /** Results side by side scroll together. */
  together: boolean;
  linked: Linked;
  /** An option of a result that waits for a link, chosen in the view. */
  picking: { result: number; option: string } | null;
  /** Widths that were dragged, in pixels; null: those of the layout. `code` is the part of the height that code has. */
  sizes: Sizes;
  table: "geometry" | "inertia" | "drives" | "base" | "loops";
  sheet: "table" | "joints" | "motion" | "symbols";
  /** What a small window shows. */
  place: "robot" | "view" | "result";
  editing: string | null;
  menu: string | null;
  dialog: "share" | "shortcuts" | "report" | null;
  palette: boolean;
  find: string;
  theme: "light" | "dark";
  language: "en" | "fr";
  projector: boolean;
  keys: boolean;
  folded: { robot: boolean; results: boolean; dock: boolean };
  show: { frames: boolean; links: boolean; labels: boolean; meshes: boolean; workspace: boolean };
  /** Whether files with visuals were dropped, and a number that grows with each. */
  dressed: number;
  branch: number | null;
  branches: "all" | "one";
  target: Pose | null;
  /** What an arm with more than six joints is given beside the target: positions of joints, or the arm angle. */
  given: number[];
  /** Branches by numbers for a target, where the arm has no closed form. */
  numeric: { target: Pose; given: number[]; values: Robot["values"]; found: NumericBranches | null; message: string } | null;
  dragging: boolean;
}

const dark = matchMedia("(prefers-color-scheme: dark)").matches;

export const initial: State = {
  facts: null, library: [], failure: "", robot: null, saved: null, past: [], future: [], changed: "", valid: {},
  checked: { problems: [], models: null }, checking: false, recent: [], q: {}, qd: {}, qdd: {}, free: AT_REST, platform: null, mover: null, twist: null, alike: true, scenario: SCENARIO, run: null, closer: null, loopMessage: "",
  structure: null, results: [], shown: null, beside: null, together: true, picking: null, sizes: { robot: null, results: null, code: null },
  linked: { symbol: null, joint: null, cell: null, pinned: false }, table: "geometry", sheet: "table", place: window.innerHeight < 600 ? "robot" : "view", editing: null, menu: null,
  dialog: null, palette: false, find: "", theme: dark ? "dark" : "light", language: navigator.language.startsWith("fr") ? "fr" : "en",
  projector: false, keys: true, folded: { robot: false, results: false, dock: window.innerWidth < 1400 },
  show: { frames: true, links: true, labels: true, meshes: true, workspace: false }, dressed: 0, branch: null, branches: "all", target: null, given: [], numeric: null, dragging: false,
};

let state: State = initial;
const listeners = new Set<() => void>();

export const get = (): State => state;

export function set(change: Partial<State> | ((s: State) => Partial<State>)): void {
  const next = typeof change === "function" ? change(state) : change;
  state = { ...state, ...next };
  listeners.forEach((listener) => listener());
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** A part of the state; it must be a value or an object that stays the same while nothing in it changes. */
export function useStore<Part>(part: (s: State) => Part): Part {
  return useSyncExternalStore(subscribe, () => part(state));
}

/** The data whose rows the equations show. */
export const equationsOf = (r: Result): ModelData => (r.form === "expanded" && r.expanded ? r.expanded : r.data!);

export const shownResult = (s: State): Result | null => s.results.find((r) => r.id === s.shown) ?? null;

/** Whether a second result stands beside the shown one. */
export const isBeside = (s: State): boolean => s.shown !== null && s.beside !== s.shown && s.results.some((r) => r.id === s.beside);

const keys = new WeakMap<Robot, string>();

/** What of a robot enters the equations: everything but the numbers of its symbols. */
export function keyOf(robot: Robot): string {
  let key = keys.get(robot);
  if (key === undefined) keys.set(robot, (key = JSON.stringify({ ...robot, values: null, title: "", source: "" })));
  return key;
}
