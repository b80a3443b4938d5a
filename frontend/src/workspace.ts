// Points that a robot reaches, found by trying configurations: the frame of the tip, or the middle of the platform.

import { type Vector, origin, reach, sceneOf, tips } from "./geometry";
import { inLegs } from "./legs";
import { atHome } from "./platform";
import { type Joint, type Robot, linkCount, rangeOf } from "./robot";
import { State } from "./store";

type Given = Pick<State, "robot" | "q" | "valid" | "free" | "platform" | "closer" | "mover">;
/** Tries one configuration: the point that it reaches, or null. */
type Try = () => Vector | null;

const TRIES = { arm: 6000, loops: 1500, platform: 3000 };

/** Numbers from 0 to 1 that are the same each time (mulberry32), so that the points do not change with each look. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Range = readonly [name: string, low: number, high: number];

const rangesOf = (robot: Robot, which: (joint: Joint) => boolean): Range[] =>
  robot.joints.slice(0, linkCount(robot)).filter((joint) => joint.variable && which(joint)).map((joint) => [joint.variable!, ...rangeOf(robot, joint)]);

const limited = (joint: Joint) => joint.limits.lower !== undefined || joint.limits.upper !== undefined;

const keeps = (q: Record<string, number>, limits: Range[]) => limits.every(([name, low, high]) => q[name] >= low && q[name] <= high);

const drawn = (ranges: Range[], random: () => number) => Object.fromEntries(ranges.map(([name, low, high]) => [name, low + random() * (high - low)]));

/** The frame whose points are drawn: the tip, or in a mechanism without one the first cut joint. */
const tipOf = (robot: Robot): number => tips(robot).pop() ?? robot.cuts[0]?.joint ?? 1;

function tryArm({ robot, q, valid, free }: Given, random: () => number): Try {
  const tip = tipOf(robot!);
  const ranges = rangesOf(robot!, () => true);
  return () => origin(sceneOf(robot!, { ...q, ...drawn(ranges, random) }, valid, { free }).frames[tip - 1]);
}

/** Motors go from one closed configuration to the next, so that the loops stay on their branch. */
function tryLoops({ robot, q, valid, free, closer }: Given, random: () => number): Try {
  const tip = tipOf(robot!);
  const motors = rangesOf(robot!, (joint) => joint.actuated);
  const limits = rangesOf(robot!, limited);
  let here = q;
  return () => {
    const found = closer!.close({ ...here, ...drawn(motors, random) }, here);
    if (!found || !keeps(found, limits)) return null;
    here = found;
    return origin(sceneOf(robot!, found, valid, { free }).frames[tip - 1]);
  };
}

/** The platform keeps its present orientation, where it can be chosen; limits of the legs are kept. */
function tryPlatform({ robot, q, valid, platform, mover }: Given, random: () => number): Try {
  const here = platform ?? atHome(robot!);
  const home = atHome(robot!);
  const far = reach(sceneOf(robot!, q, valid, { platform: here }));
  const last = inLegs(robot!);
  const limits = rangesOf(robot!, (joint) => robot!.joints.indexOf(joint) < last && (joint.actuated || limited(joint)));
  return () => {
    const wanted = here.map((x, k) => (k < 3 && mover!.data.independent.includes(k) ? home[k] + (2 * random() - 1) * far : x));
    const found = mover!.follow(wanted, here);
    if (!found || !keeps(found.q, limits)) return null;
    return found.at.slice(0, 3) as Vector;
  };
}

/** Look for points in the time between frames; `tell` has all of them at the end. The answer ends the search. */
export function findWorkspace(given: Given, tell: (points: Vector[]) => void): () => void {
  const { robot, closer, mover } = given;
  const kind = robot!.parallel ? "platform" : robot!.cuts.length ? "loops" : "arm";
  if ((kind === "platform" && !mover) || (kind === "loops" && !closer)) return () => undefined;
  const attempt = { arm: tryArm, loops: tryLoops, platform: tryPlatform }[kind](given, randomNumbers(1));
  const points: Vector[] = [];
  let tried = 0;
  let timer = 0;
  const work = () => {
    for (const end = performance.now() + 10; tried < TRIES[kind] && performance.now() < end; tried += 1) {
      const point = attempt();
      if (point?.every(Number.isFinite)) points.push(point);
    }
    if (tried < TRIES[kind]) timer = window.setTimeout(work, 4);
    else tell(points);
  };
  timer = window.setTimeout(work, 4);
  return () => clearTimeout(timer);
}
