// Keys of one letter and their pairs; they are off inside fields, and can be switched off.

import * as documentActions from "./actions/document";
import * as resultActions from "./actions/result";
import * as viewActions from "./actions/view";
import { firstOfRuns, linkedRows } from "./lights";
import { equationsOf, shownResult } from "./state/result";
import { get, set } from "./store";

const MENUS: Record<string, string> = { r: "Robot", g: "Geometric", k: "Kinematic", d: "Dynamic", i: "Identification", m: "Motion", o: "Optimizer" };

export const inField = (): boolean => {
  const at = document.activeElement;
  return at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement;
};

const focus = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();
const PLACES: Record<string, () => void> = {
  t: () => (set({ table: "geometry", place: "robot" }), setTimeout(() => focus("[role=grid] [tabindex='0']"))),
  i: () => (set({ table: "inertia", place: "robot" }), setTimeout(() => focus("[role=grid] [tabindex='0']"))),
  v: () => (set({ place: "view" }), setTimeout(() => focus(".view"))),
  e: () => (set({ place: "result" }), setTimeout(() => focus(".equations.scroll"))),
  c: () => (set({ place: "result" }), setTimeout(() => focus(".code.scroll"))),
};

let first = "";
let firstAt = 0;

function pair(key: string): boolean {
  const begun = performance.now() - firstAt < 1200 ? first : "";
  first = "";
  if (begun === "m" && MENUS[key]) return set({ menu: MENUS[key] }), true;
  if (begun === "g" && PLACES[key]) return PLACES[key](), true;
  return false;
}

let use = -1;

/** Go to the next row that has the linked symbol, or that begins a part of the linked link; the code does the same. */
export function nextUse(by: 1 | -1): void {
  dispatchEvent(new CustomEvent("symoro-use", { detail: by }));
  const result = shownResult(get());
  const rows = result?.data ? nextPlaces(linkedRows(equationsOf(result))) : [];
  if (!result || !rows.length) return;
  use = (use + by + rows.length) % rows.length;
  goToRow(result.id, rows[use]);
}

const nextPlaces = (rows: number[]) => (get().linked.joint ? firstOfRuns(rows) : rows);

export function goToRow(id: number, row: number): void {
  const result = get().results.find((r) => r.id === id);
  const group = result?.data ? equationsOf(result).groups.findIndex((g) => row >= g.first && row < g.first + g.count) : -1;
  if (group < 0) return;
  resultActions.toggleGroup(id, group, false);
  setTimeout(() => document.querySelector(`[data-result="${id}"] [data-row="${row}"]`)?.scrollIntoView({ block: "center" }), 30);
}

const SINGLE: Record<string, () => void> = {
  p: () => set((s) => ({ projector: !s.projector })),
  t: () => set((s) => ({ theme: s.theme === "dark" ? "light" : "dark" })),
  l: viewActions.pin,
  n: () => nextUse(1),
  N: () => nextUse(-1),
  "/": () => focus(".find input"),
  "?": () => set({ dialog: "shortcuts" }),
  f: () => dispatchEvent(new Event("symoro-fit")),
  "0": () => dispatchEvent(new Event("symoro-fit")),
  "[": () => set((s) => ({ folded: { ...s.folded, robot: !s.folded.robot } })),
  "]": () => set((s) => ({ folded: { ...s.folded, results: !s.folded.results } })),
  b: () => dispatchEvent(new CustomEvent("symoro-branch", { detail: 1 })),
  B: () => dispatchEvent(new CustomEvent("symoro-branch", { detail: -1 })),
  " ": () => dispatchEvent(new Event("symoro-play")),
};

function withControl(event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if (key === "k") return set((s) => ({ palette: !s.palette, menu: null })), true;
  if (key === "z" && !inField()) return (event.shiftKey ? documentActions.redo : documentActions.undo)(), true;
  if (key === "y" && !inField()) return documentActions.redo(), true;
  if (key === "s") return void documentActions.saveAs(".toml"), true;
  return false;
}

function escape(): void {
  const { projector, menu, dialog, linked, picking } = get();
  const result = shownResult(get());
  if (menu || dialog) set({ menu: null, dialog: null });
  else if (picking) set({ picking: null });
  else if (linked.pinned) viewActions.unpin();
  else if (result?.state === "running") resultActions.cancelJob(result.id);
  else if (projector) set({ projector: false });
}

export function listen(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      if (withControl(event)) event.preventDefault();
      return;
    }
    if (event.key === "Escape" && !get().palette) return escape();
    const at = document.activeElement;
    const typing = inField() || get().palette || at?.closest("[role=grid], [role=menu], dialog");
    if (typing || !get().keys || event.altKey || !get().robot) return;
    const key = event.key;
    if (pair(key.toLowerCase())) return event.preventDefault();
    if ((key === "m" || key === "g") && !event.shiftKey) {
      first = key;
      firstAt = performance.now();
      return;
    }
    if (key === " " && at instanceof HTMLButtonElement) return;
    if (SINGLE[key]) {
      event.preventDefault();
      SINGLE[key]();
    }
  });
}

export const SHORTCUTS: [string, string][] = [
  ["Ctrl K", "palette"], ["Ctrl Z · Ctrl Shift Z", "undo, redo"], ["Ctrl S", "save as TOML"],
  ["M then R G K D I O", "menus"], ["G then T I V E C", "table, inertia, view, equations, code"], ["/", "find a symbol"],
  ["N · Shift N", "next, previous use of the linked symbol"], ["L · Esc", "pin the link, free it"], ["Tab · Enter · Shift arrows", "in the view: next joint, choose it, move it"], ["↑ ↓", "in equations and code: next line, and what it computes"], ["B · Shift B", "next, previous branch"],
  ["Alt ←", "back to where you were"], ["Space", "play the motion"], ["F · 0", "fit the view"], ["P", "projector"], ["T", "theme"], ["[ · ]", "fold the robot, the results"],
  ["Arrows · Enter · Esc", "in the table: move, edit, restore"], ["Alt ↑ ↓", "in the table: move a joint"], ["?", "this list"],
];
