// Where the robot stands: joints, loops and platforms that follow, motions, and the pose that is wanted.

import * as api from "../api";
import { givenNow } from "../branches";
import { fromRpy, origin, rpy, sceneOf, tips } from "../geometry";
import { inLegs } from "../legs";
import { Closer } from "../loops";
import { type Coordinates, Platform, atHome, platformPose } from "../platform";
import type { Sym } from "../program";
import { type Robot, keyOf, linkCount, numbersOf } from "../robot";
import type { MotionState, Scenario } from "../state/motion";
import { shownResult } from "../state/result";
import { get, set } from "../store";

/** Look at the whole robot, once it is drawn where it stands now. */
const fitSoon = () => void setTimeout(() => dispatchEvent(new Event("symoro-fit")), 60);

export async function loadLoops(robot: Robot): Promise<void> {
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

export async function loadPlatform(robot: Robot): Promise<void> {
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
export function movePlatform(wanted: Coordinates, twist: MotionState["twist"] = null): boolean {
  const { mover, platform, q } = get();
  if (!mover || !platform) return false;
  const found = mover.follow(wanted, twist ? wanted : platform) ?? mover.follow(wanted, wanted);
  set(found ? { platform: found.at, twist, q: { ...q, ...found.q }, loopMessage: "" } : { loopMessage: "a leg cannot reach there" });
  return found !== null;
}

const pick = (from: Record<string, number>, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, from[name] ?? 0]));

/** The variables of the motors that can be moved: those of legs follow a platform. */
export const motors = (robot: Robot): string[] =>
  robot.joints.slice(inLegs(robot), linkCount(robot)).filter((j) => j.variable && j.actuated).map((j) => j.variable as string);

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
