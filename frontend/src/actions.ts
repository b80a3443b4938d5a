// What the page can do. Everything that a button, a key or the palette does is a function here.

import * as api from "./api";
import { evaluate, parse } from "./expression";
import { fromRpy, origin, rpy, sceneOf, tips } from "./geometry";
import { AT_REST } from "./free";
import { givenNow } from "./branches";
import { withAlike } from "./legs";
import { Closer } from "./loops";
import { type Coordinates, Platform, atHome, platformPose } from "./platform";
import { Runner, type Sym } from "./program";
import { entered, leave } from "./places";
import { posture } from "./posture";
import type { Scenario } from "./run";
import { type Robot, cellText, linkCount, numbersOf } from "./robot";
import { say } from "./words";
import { type Result, type State, type View, get, keyOf, set, shownResult } from "./store";

// robots

let checking: AbortController | null = null;
let checkTimer = 0;

/** Open a robot as a new piece of work. */
export function open(robot: Robot): void {
  const q = posture(robot);
  const recent = [{ at: Date.now(), robot }, ...get().recent.filter((r) => r.robot.name !== robot.name)].slice(0, 6);
  set({
    robot, saved: robot, past: [], future: [], valid: {}, q, qd: rates(q, [0.5, 0.4, -0.3, 0.4]), qdd: rates(q, [0.6, -0.4, -0.3, 0.5]), closer: null, structure: null, results: [], free: AT_REST, platform: robot.parallel ? atHome(robot) : null, mover: null, twist: null, loopMessage: "", run: null, scenario: { ...get().scenario, start: null },
    shown: null, beside: null, picking: null, dressed: 0, branch: null, target: null, given: [], numeric: null, menu: null, recent, changed: "", table: "geometry",
    checked: { problems: [], models: null }, linked: { symbol: null, joint: null, cell: null, pinned: false },
  });
  entered();
  refresh();
}

/** A motion to begin with, so that values say something. */
const rates = (q: Record<string, number>, some: number[]) => Object.fromEntries(Object.keys(q).map((name, k) => [name, some[k % some.length]]));

export function close(): void {
  if (get().robot) leave();
  history.pushState({ work: false }, "", location.pathname);
}

let drops = 0;

/** Open the robot among files that were dropped together; meshes stay in the browser. */
export async function openFiles(files: File[]): Promise<void> {
  let name = files[0]?.name ?? "";
  try {
    const { unpacked, robotFile, dress } = await import("./files");
    const all = await unpacked(files);
    const file = robotFile(all, get().facts?.suffixes ?? []);
    name = file.path;
    const read = await api.readFile(name, new TextDecoder().decode(file.bytes));
    open(read.robot);
    const missing = dress(read.robot.name, read.visuals, all);
    const named = missing.slice(0, 5).join(", ") + (missing.length > 5 ? ", …" : "");
    set({ dressed: read.visuals.length ? (drops += 1) : 0, failure: missing.length ? say("{} meshes are not among the files: {}. Drop them together with {}, or as a zip.", missing.length, named, name) : "" });
  } catch (error) {
    set({ failure: `${name}: ${say((error as Error).message)}` });
  }
}

export function chooseFile(): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = [...(get().facts?.suffixes ?? []), ".zip", ".stl", ".obj", ".dae"].join(",");
  input.onchange = () => input.files?.length && void openFiles([...input.files]);
  input.click();
}

export async function saveAs(suffix: string): Promise<void> {
  const { robot } = get();
  if (!robot) return;
  try {
    api.save(await api.writeFile(robot, suffix), `${robot.name}${suffix}`);
    set({ saved: robot, failure: "", menu: null });
  } catch (error) {
    set({ failure: (error as Error).message, menu: null });
  }
}

// edits

/** Change the robot; every change can be undone. */
export function edit(robot: Robot, what: string): void {
  const before = get().robot;
  if (!before || before === robot) return;
  set((s) => ({ robot, past: [...s.past.slice(-199), before], future: [], changed: what }));
  refresh();
}

const hasNumber = (robot: Robot, text: string) => {
  const numbers = numbersOf(robot);
  return Number.isFinite(evaluate(parse(text), (name) => get().q[name] ?? numbers(name)));
};

/** Type into a cell; all keys of one visit are one change. Legs that are alike change together. */
export function setCell(path: string, text: string, more = false): void {
  const { robot, valid, changed, past, alike } = get();
  if (!robot) return;
  const before = cellText(robot, path);
  if (before === text) return;
  if (hasNumber(robot, before)) set({ valid: { ...valid, [path]: before } });
  if (more && changed === path && past.length) {
    set({ robot: withAlike(robot, path, text, alike) });
    refresh();
  } else edit(withAlike(robot, path, text, alike), path);
}

/** Give a symbol another value, or none. */
export function setValue(name: string, text: string): void {
  const { robot, alike } = get();
  if (!robot) return;
  const { values } = withAlike(robot, `values.${name}`, text, alike);
  edit({ ...robot, values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")) }, name);
}

export function undo(): void {
  const { past, robot } = get();
  if (!past.length || !robot) return;
  set((s) => ({ robot: past[past.length - 1], past: past.slice(0, -1), future: [robot, ...s.future], changed: "" }));
  refresh();
}

export function redo(): void {
  const { future, robot } = get();
  if (!future.length || !robot) return;
  set((s) => ({ robot: future[0], future: future.slice(1), past: [...s.past, robot], changed: "" }));
  refresh();
}

/** After a change: check the robot, close its loops, look again at its structure and at results that are quick. */
function refresh(): void {
  clearTimeout(checkTimer);
  checking?.abort();
  const { robot } = get();
  if (!robot) return;
  set({ checking: true });
  const control = new AbortController();
  checking = control;
  checkTimer = window.setTimeout(async () => {
    try {
      const checked = await api.check(robot, control.signal);
      if (control.signal.aborted) return;
      set({ checked: { ...checked, models: checked.models ?? get().checked.models }, checking: false });
      if (checked.models) afterCheck(robot);
    } catch (error) {
      if (!control.signal.aborted) set({ checking: false, failure: (error as Error).message });
    }
  }, 150);
}

let analysed = "";

function afterCheck(robot: Robot): void {
  const key = keyOf(robot);
  const { mover } = get();
  if (mover && mover.robot.values !== robot.values && analysed === key) { // other numbers, the same equations
    set({ mover: new Platform(mover.data, robot) });
    if (!movePlatform(get().platform ?? atHome(robot)) && !movePlatform(atHome(robot))) analysed = ""; // another branch reaches
  }
  for (const result of get().results) {
    const last = result.job?.elapsed ?? 99;
    if (result.key !== key && last < 4) void compute(result.id);
  }
  if (analysed === key && get().structure) return;
  analysed = key;
  if (robot.parallel) void loadPlatform(robot);
  else if (robot.cuts.length) void loadLoops(robot);
  else set({ closer: null, loopMessage: "" });
  api.structure(robot).then(
    (structure) => get().robot && keyOf(get().robot!) === key && set({ structure }),
    () => set({ structure: null }),
  );
}

/** Look at the whole robot, once it is drawn where it stands now. */
const fitSoon = () => void setTimeout(() => dispatchEvent(new Event("symoro-fit")), 60);

async function loadLoops(robot: Robot): Promise<void> {
  try {
    const closer = new Closer(await api.loops(robot), robot);
    if (get().robot?.name !== robot.name) return;
    const wanted = get().q;
    const first = get().closer === null;
    const start = { ...wanted, ...closer.start };
    const posed = closer.close(wanted, wanted) ?? (closer.data.start.length ? closer.close({ ...start, ...pick(wanted, motors(robot)) }, start) : null);
    set({ closer, q: posed ?? start, loopMessage: posed || closer.data.start.length ? "" : "no configuration closes the loops" });
    if (first) fitSoon(); // the loops may be closed otherwise than in the picture
  } catch (error) {
    set({ closer: null, loopMessage: (error as Error).message });
  }
}

async function loadPlatform(robot: Robot): Promise<void> {
  const first = get().mover === null;
  try {
    const mover = new Platform(await api.platform(robot), robot);
    const now = get().robot;
    if (!now || keyOf(now) !== keyOf(robot)) return; // an edit came before the answer
    set({ mover: new Platform(mover.data, now), loopMessage: "" });
    if (!movePlatform(get().platform ?? atHome(now))) movePlatform(atHome(now));
    if (first) fitSoon(); // the legs may stand in another branch than the picture's
  } catch (error) {
    if (get().robot && keyOf(get().robot!) === keyOf(robot)) set({ mover: null, loopMessage: (error as Error).message });
  }
}

/** Move the platform: its legs follow, and where one cannot reach, the platform stops. */
export function movePlatform(wanted: Coordinates, twist: State["twist"] = null): boolean {
  const { mover, platform, q } = get();
  if (!mover || !platform) return false;
  const found = mover.follow(wanted, twist ? wanted : platform) ?? mover.follow(wanted, wanted);
  set(found ? { platform: found.at, twist, q: { ...q, ...found.q }, loopMessage: "" } : { loopMessage: "a leg cannot reach there" });
  return found !== null;
}

const pick = (from: Record<string, number>, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, from[name] ?? 0]));

export const motors = (robot: Robot): string[] =>
  robot.joints.slice(0, linkCount(robot)).filter((j) => j.variable && j.actuated).map((j) => j.variable as string);

// configuration

/** Move a joint; loops stay closed, and a loop that cannot close stops the joint. */
export function move(change: Record<string, number>): void {
  const { q, closer, robot } = get();
  if (!closer || closer.robot.name !== robot?.name) return set({ q: { ...q, ...change }, branch: null });
  const found = closer.close({ ...q, ...change }, q);
  set(found ? { q: found, loopMessage: "" } : { loopMessage: "the loop cannot close there" });
}

export function pose(q: Record<string, number>): void {
  set({ q: { ...get().q, ...q } });
}

/** Go to a configuration in joint space, in 350 ms. */
export function glide(to: Record<string, number>): void {
  const from = { ...get().q };
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return pose(to);
  const began = performance.now();
  const step = (now: number) => {
    const t = Math.min(1, (now - began) / 350);
    const s = t * t * (3 - 2 * t);
    pose(Object.fromEntries(Object.entries(to).map(([name, x]) => [name, (from[name] ?? 0) + s * (x - (from[name] ?? 0))])));
    if (t < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Open the dock of motions with some of its choices. */
export function openMotion(change: Partial<Scenario>): void {
  set((s) => ({ scenario: { ...s.scenario, ...change }, folded: { ...s.folded, dock: false }, sheet: "motion", menu: null }));
}

/** The number of an input or a parameter of a program at the configuration of the page. */
export function givenAt(robot: Robot, q: Record<string, number>, qd: Record<string, number>, qdd: Record<string, number>) {
  const numbers = numbersOf(robot);
  const variable = (link: number | undefined) => (link ? (robot.joints[link - 1]?.variable ?? "") : "");
  return (symbol: Sym, array: string, place: number): number => {
    if (array === "q") return q[symbol.name] ?? q[variable(symbol.link)] ?? 0;
    if (array === "qd") return qd[variable(symbol.link)] ?? 0;
    if (array === "qdd") return qdd[variable(symbol.link)] ?? 0;
    if (array === "quat") return get().free.quat[place];
    if (array === "T") return (robot.parallel ? platformPose(robot, get().platform ?? atHome(robot)) : get().target)?.[place] ?? (place === 15 ? 1 : 0);
    if (array === "r") return get().given[place] ?? 0;
    if (array === "V" || array === "VP") return get().twist?.[array][place] ?? 0;
    if (array === "near") return q[variable(symbol.link)] ?? q[robot.joints[place]?.variable ?? ""] ?? 0;
    if (array) return symbol.default ?? 0;
    const number = numbers(symbol.name);
    return Number.isNaN(number) ? (symbol.default ?? NaN) : number;
  };
}

// results

let serial = 0;

function update(id: number, change: Partial<Result>): void {
  set((s) => ({ results: s.results.map((r) => (r.id === id ? { ...r, ...change } : r)) }));
}

/** The models of a robot's kind. */
export const catalogueOf = (facts: api.Facts | null, robot: Robot | null): api.Entry[] => (robot?.parallel ? facts?.platforms : facts?.catalogue) ?? [];

export function openModel(name: string, options: api.Options = {}, beside = false, more: Partial<Result> = {}): void {
  const { facts, robot, results } = get();
  const entry = catalogueOf(facts, robot).find((e) => e.name === name);
  if (!entry || !robot) return;
  set({ menu: null, palette: false, place: "result" });
  const known = results.find((r) => r.entry.name === name && !Object.keys(options).length);
  const twice = beside && known?.id === get().shown; // the same model beside itself: with other options, or in another language
  if (known && !twice) return set(beside ? { beside: known.id } : { shown: known.id });
  serial += 1;
  const inverse = name === "inverse_geometry" && !robot.parallel;
  const chosen = { ...defaults(entry, robot), ...options };
  const result: Result = {
    id: serial, entry, options: chosen, key: "", robot, state: "running", job: null, data: null, dataJob: "", runner: null,
    message: "", view: inverse ? "branches" : window.innerWidth >= 1400 ? "both" : "equations", form: "named", expanded: null, target: lastTarget(), code: {},
    codeMessage: "", file: "", open: {}, ...more,
  };
  set((s) => ({ results: [...s.results, result], ...(beside && s.shown !== null ? { beside: result.id } : { shown: result.id }) }));
  if (inverse) setTargetFromJoints();
  void compute(result.id);
}

function lastTarget(): string {
  return get().results[get().results.length - 1]?.target ?? "c";
}

/** Options that must be given, and those that most people want: base parameters, and the tip as link. */
function defaults(entry: api.Entry, robot: Robot): api.Options {
  const tip = tips(robot).pop() ?? robot.joints.length;
  const chosen: api.Options = {};
  for (const option of entry.options) {
    if (option.name === "params" && entry.menu === "Dynamic") chosen.params = "base";
    if (option.required) chosen[option.name] = option.name === "i" ? 0 : tip;
  }
  return chosen;
}

export async function compute(id: number): Promise<void> {
  const { robot, results } = get();
  const result = results.find((r) => r.id === id);
  if (!robot || !result) return;
  if (result.state === "running" && result.job) void api.cancel(result.job.id);
  const mine = {};
  running.set(id, mine);
  update(id, { state: "running", job: null, message: "" });
  try {
    const data = await api.model(robot, result.entry.name, result.options, (job) => running.get(id) === mine && update(id, { job }));
    if (running.get(id) !== mine) return;
    const job = get().results.find((r) => r.id === id)?.job?.id ?? "";
    update(id, { state: "done", data, dataJob: job, runner: new Runner(data), key: keyOf(robot), robot, code: {}, open: {}, expanded: null });
    if (data.inverse) set({ numeric: null, given: givenNow(get().results.find((r) => r.id === id)!) });
    if (result.form === "expanded") void loadExpanded(id);
    if (wantsCode(id)) void loadCode(id);
  } catch (error) {
    if (running.get(id) !== mine) return;
    const state = get().results.find((r) => r.id === id)?.job?.state === "cancelled" ? "cancelled" : "failed";
    update(id, { state, message: (error as Error).message });
  }
}

const running = new Map<number, object>();

export function cancelJob(id: number): void {
  const result = get().results.find((r) => r.id === id);
  if (!result?.job || result.state !== "running") return;
  running.delete(id);
  void api.cancel(result.job.id);
  update(id, { state: "cancelled", message: "cancelled" });
}

const wantsCode = (id: number) => ["code", "both"].includes(get().results.find((r) => r.id === id)?.view ?? "");

export async function loadCode(id: number): Promise<void> {
  const result = get().results.find((r) => r.id === id);
  if (!result?.data || result.code[result.target]) return;
  const { target } = result;
  update(id, { codeMessage: "" });
  try {
    const code = await api.code(result.robot, result.entry.name, result.options, target, result.dataJob);
    const now = get().results.find((r) => r.id === id);
    if (now?.data === result.data) update(id, { code: { ...now.code, [target]: code } });
  } catch (error) {
    update(id, { codeMessage: (error as Error).message });
  }
}

/** Equations with intermediate variables, or written out. */
export function showForm(id: number, form: Result["form"]): void {
  update(id, { form, open: {} });
  if (form === "expanded") void loadExpanded(id);
}

async function loadExpanded(id: number): Promise<void> {
  const result = get().results.find((r) => r.id === id);
  if (!result?.data || result.expanded) return;
  const { data } = result;
  try {
    const { rows, groups } = await api.expanded(result.robot, result.entry.name, result.options, result.dataJob);
    const now = get().results.find((r) => r.id === id);
    if (now?.data === data) update(id, { expanded: { ...data, rows, groups }, codeMessage: "" });
  } catch (error) {
    update(id, { form: "named", codeMessage: (error as Error).message });
  }
}

export function showAs(id: number, view: View): void {
  update(id, { view });
  if (wantsCode(id)) void loadCode(id);
}

export function chooseTarget(id: number, target: string): void {
  update(id, { target });
  void loadCode(id);
}

export function chooseFileOf(id: number, file: string): void {
  update(id, { file });
}

export function setOption(id: number, name: string, value: string | number | boolean | null): void {
  const result = get().results.find((r) => r.id === id);
  if (!result) return;
  update(id, { options: { ...result.options, [name]: value } });
  void compute(id);
}

export function toggleGroup(id: number, group: number, now: boolean): void {
  const result = get().results.find((r) => r.id === id);
  if (result) update(id, { open: { ...result.open, [group]: !now } });
}

export function closeResult(id: number): void {
  cancelJob(id);
  const left = get().results.filter((r) => r.id !== id);
  const { shown, beside } = get();
  set({ results: left, shown: shown === id ? (left[left.length - 1]?.id ?? null) : shown, beside: beside === id ? null : beside });
}

export async function downloadZip(id: number): Promise<void> {
  const result = get().results.find((r) => r.id === id);
  if (!result?.data) return;
  try {
    const blob = await api.zip(result.robot, result.entry.name, result.options, result.target, result.dataJob);
    api.save(blob, `${result.robot.name}_${result.entry.name}_${result.target}.zip`);
  } catch (error) {
    update(id, { codeMessage: (error as Error).message });
  }
}

export const current = () => shownResult(get());

// inverse geometry

export function setTargetFromJoints(): void {
  const { robot, q, valid, free } = get();
  if (!robot) return;
  const tip = tips(robot).pop();
  if (tip) set({ target: sceneOf(robot, q, valid, { free }).frames[tip - 1] });
  const result = shownResult(get());
  if (result?.data?.inverse?.given.length) set({ given: givenNow(result) });
}

/** The positions of the given joints, by their numbers. */
function givenJoints(): Record<number, number> {
  const { given } = get();
  const joints = shownResult(get())?.data?.inverse?.given ?? [];
  return Object.fromEntries(joints.flatMap((one, k) => (one.joint ? [[one.joint, given[k] ?? 0]] : [])));
}

let solving: AbortController | null = null;

/** Find the branches for the target by numbers; the latest target wins. */
export async function solveTarget(): Promise<void> {
  const { robot, target, given } = get();
  if (!robot || !target) return;
  solving?.abort();
  const control = (solving = new AbortController());
  try {
    const found = await api.branches(robot, target, givenJoints(), control.signal);
    set({ numeric: { target, given, values: robot.values, found, message: "" } });
  } catch (error) {
    if (!control.signal.aborted) set({ numeric: { target, given, values: robot.values, found: null, message: (error as Error).message } });
  }
}

export function moveTarget(position: [number, number, number] | null, angles: [number, number, number] | null): void {
  const { target } = get();
  if (target) set({ target: fromRpy(position ?? origin(target), angles ?? rpy(target)) });
}

// linking: one symbol lights in all places

export function link(symbol: string | null, cell: string | null = null, joint: number | null = null): void {
  const { linked } = get();
  if (linked.pinned || (linked.symbol === symbol && linked.cell === cell && linked.joint === joint)) return;
  set({ linked: { symbol, cell, joint, pinned: false } });
}

export function pin(): void {
  const { linked } = get();
  if (linked.symbol || linked.cell || linked.joint) set({ linked: { ...linked, pinned: !linked.pinned } });
}

/** Choose a link in the view, 0 the base: for the option that waits for one, or to keep it lit; null frees it. */
export function pickLink(joint: number | null): void {
  const { picking, linked } = get();
  if (picking) return pickFor(picking.result, picking.option, joint);
  if (!joint || (linked.pinned && linked.joint === joint)) return unpin();
  set({ linked: { symbol: null, cell: null, joint, pinned: true } });
  document.querySelector(`.grid-row[data-joint="${joint}"]`)?.scrollIntoView({ block: "nearest" });
}

function pickFor(id: number, name: string, joint: number | null): void {
  const result = get().results.find((r) => r.id === id);
  const kind = result?.entry.options.find((o) => o.name === name)?.kind;
  if (joint === null || (kind === "link" && joint > linkCount(get().robot!))) return;
  set({ picking: null });
  setOption(id, name, joint);
}

export function unpin(): void {
  set({ linked: { symbol: null, joint: null, cell: null, pinned: false } });
}
