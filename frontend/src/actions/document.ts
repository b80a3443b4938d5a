// The robot that is edited: open, edit, undo, save, and check after each change.

import * as api from "../api";
import { evaluate, parse } from "../expression";
import { withAlike } from "../legs";
import { entered, leave } from "../places";
import { Platform, atHome } from "../platform";
import { posture } from "../posture";
import { type Robot, cellText, keyOf, numbersOf } from "../robot";
import { UNEDITED } from "../state/document";
import { STILL } from "../state/motion";
import { NO_RESULTS } from "../state/result";
import { UNLINKED } from "../state/view";
import { get, set } from "../store";
import { say } from "../words";
import { loadLoops, loadPlatform, movePlatform } from "./motion";
import { compute } from "./result";

let checking: AbortController | null = null;
let checkTimer = 0;

/** Open a robot as a new piece of work. */
export function open(robot: Robot): void {
  const q = posture(robot);
  const recent = [{ at: Date.now(), robot }, ...get().recent.filter((r) => r.robot.name !== robot.name)].slice(0, 6);
  const motion = { q, qd: rates(q, [0.5, 0.4, -0.3, 0.4]), qdd: rates(q, [0.6, -0.4, -0.3, 0.5]), platform: robot.parallel ? atHome(robot) : null, scenario: { ...get().scenario, start: null } };
  set({ ...UNEDITED, ...STILL, ...NO_RESULTS, ...motion, robot, saved: robot, recent, dressed: 0, menu: null, table: "geometry", linked: UNLINKED });
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
    const { unpacked, robotFile, dress } = await import("../files");
    const all = await unpacked(files);
    const file = robotFile(all, get().facts?.suffixes ?? []);
    name = file.path;
    const read = await api.readFile(name, new TextDecoder().decode(file.bytes));
    open(read.robot);
    const missing = dress(read.robot.name, read.visuals, all);
    const named = missing.slice(0, 5).join(", ") + (missing.length > 5 ? ", …" : "");
    set({ dressed: read.visuals.length ? (drops += 1) : 0, failure: missing.length ? say("{} meshes are not among the files: {}. Drop them together with {}, or as a zip.", missing.length, named, name) : "" });
  } catch (error) {
    set({ failure: `${name}: ${(error as Error).message}` });
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
  lookAtStructure(robot);
}

/** What is found in the table: axes that meet, base parameters, the freedom of a platform. */
function lookAtStructure(robot: Robot): void {
  api.structure(robot).then(
    (structure) => get().robot && keyOf(get().robot!) === keyOf(robot) && set({ structure }),
    () => set({ structure: null }),
  );
}

/** Ask again for what the server said in another language. */
export function askAgain(): void {
  const { robot } = get();
  if (!robot) return;
  refresh();
  lookAtStructure(robot);
}
