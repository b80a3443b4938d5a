// The platform of a parallel robot: its pose from six numbers, and its legs, which follow by inverse geometry.

import { type Pose, type Vector, axis, fromRpy, origin, poseOf, rpy, sceneOf, times } from "./geometry";
import { endOf } from "./legs";
import { type Program, Runner, solve } from "./program";
import { type Robot, numbersOf } from "./robot";

export const POSE_NAMES = ["x", "y", "z", "roll", "pitch", "yaw"] as const;
/** `branch` of each leg of `branches` that it has: the working mode in which the program is. */
export interface PlatformData { program: Program; variables: string[]; independent: number[]; branch: number[]; branches: number[] }
/** x, y, z, and roll, pitch, yaw away from the orientation of the home pose. */
export type Coordinates = number[];
export interface Plate { pose: Pose; points: Vector[]; ends: Vector[]; links: number[] }
type Configuration = Record<string, number>;

const CLOSED = 1e-9;

export function homeOf(robot: Robot): Pose {
  return poseOf(robot.parallel?.home ?? null, numbersOf(robot));
}

export const atHome = (robot: Robot): Coordinates => [...origin(homeOf(robot)), 0, 0, 0];

export function platformPose(robot: Robot, coordinates: Coordinates): Pose {
  const home = homeOf(robot);
  const turned = [...home];
  for (const k of [3, 7, 11]) turned[k] = 0;
  return times(fromRpy(coordinates.slice(0, 3) as Vector, coordinates.slice(3) as Vector), turned);
}

/** The six numbers of a pose: the other way of `platformPose`. */
export function coordinatesOf(robot: Robot, pose: Pose): Coordinates {
  const home = homeOf(robot);
  const back: Pose = [home[0], home[4], home[8], 0, home[1], home[5], home[9], 0, home[2], home[6], home[10], 0];
  return [...origin(pose), ...rpy(times(pose, back))];
}

/** Where the platform is, where legs meet it, and where the legs end. */
export function plateOf(robot: Robot, pose: Pose, frames: Pose[]): Plate {
  const value = numbersOf(robot);
  const { legs } = robot.parallel!;
  const links = legs.map((_, i) => endOf(robot, i).link);
  return {
    pose,
    points: legs.map((leg) => origin(times(pose, poseOf(leg.pose, value)))),
    ends: links.map((link) => origin(frames[link - 1] ?? pose)),
    links,
  };
}

export class Platform {
  private runner: Runner;
  constructor(readonly data: PlatformData, readonly robot: Robot) {
    this.runner = new Runner(data.program);
  }

  private run(at: Coordinates): number[] | null {
    const pose = [...platformPose(this.robot, at), 0, 0, 0, 1];
    const value = numbersOf(this.robot);
    this.runner.run((symbol, array, place) => (array === "T" ? pose[place] : Number.isNaN(value(symbol.name)) ? (symbol.default ?? NaN) : value(symbol.name)));
    const gaps = this.runner.output("E");
    return gaps.every(Number.isFinite) ? gaps : null;
  }

  /** The joints of the legs at a pose; null where a leg does not reach. */
  legs(at: Coordinates): Configuration | null {
    const gaps = this.run(at);
    const reached = gaps && Math.max(...gaps.map(Math.abs)) < 1e-7 && this.runner.output("OK").every((x) => x > 0.5);
    return reached ? Object.fromEntries(this.runner.output("QL").map((x, k) => [this.data.variables[k], x])) : null;
  }

  /** The pose with these independent numbers: the others follow, in steps, from a pose near by. */
  follow(wanted: Coordinates, near: Coordinates): { at: Coordinates; q: Configuration } | null {
    const far = Math.max(...this.data.independent.map((k) => Math.abs(wanted[k] - near[k])));
    const steps = Math.min(40, Math.max(1, Math.ceil(far / 0.1)));
    let at = [...near];
    for (let s = 1; s <= steps; s += 1) {
      for (const k of this.data.independent) at[k] = near[k] + (s / steps) * (wanted[k] - near[k]);
      const found = this.constrained(at);
      if (!found) return null;
      at = found;
    }
    const q = this.legs(at);
    return q ? { at, q } : null;
  }

  /** Newton's method on the numbers that the legs determine: (JᵀJ + ε) x = −Jᵀ E. */
  private constrained(start: Coordinates): Coordinates | null {
    const dependent = [0, 1, 2, 3, 4, 5].filter((k) => !this.data.independent.includes(k));
    const at = [...start];
    for (let round = 0; round < 30 && dependent.length; round += 1) {
      const E = this.run(at);
      if (!E) return null;
      if (Math.max(...E.map(Math.abs)) < CLOSED) break;
      const J = dependent.map((k) => {
        const moved = this.run(at.map((x, i) => (i === k ? x + 1e-7 : x)));
        return moved ? moved.map((x, i) => (x - E[i]) / 1e-7) : null;
      });
      if (J.some((column) => column === null)) return null;
      const move = solve(J.map((a, i) => [...J.map((b, k) => dot(a!, b!) + (i === k ? 1e-10 : 0)), -dot(a!, E)]));
      if (!move?.every(Number.isFinite)) return null;
      dependent.forEach((k, i) => (at[k] += Math.max(-0.2, Math.min(0.2, move[i]))));
    }
    return at;
  }
}

const dot = (a: number[], b: number[]) => a.reduce((s, x, k) => s + x * b[k], 0);

/** Legs at the home pose by the frames alone, roughly: for pictures, until the program of the legs is there. */
export function legsAtHome(robot: Robot): Configuration {
  const home = homeOf(robot);
  const value = numbersOf(robot);
  let first = 0;
  return Object.assign({}, ...robot.parallel!.legs.map((a, i) => {
    const [begin, count] = [first, a.joints];
    const { link, pose: end } = endOf(robot, i);
    first += count;
    const joints = robot.joints.slice(begin, begin + count).map((j) => ({ ...j, parent: j.parent ? j.parent - begin : 0 }));
    const leg: Robot = { ...robot, base: { ...robot.base, pose: null }, joints, cuts: [], frames: [], parallel: null };
    const goal = times(home, poseOf(a.pose, value));
    return reaching(leg, (q) => gapOf(a.kind, goal, times(sceneOf(leg, q).frames[link - begin - 1] ?? home, end)));
  }));
}

/** How far an end is from its attachment: the point, and the axes that the attachment holds. */
function gapOf(kind: string, goal: Pose, end: Pose): number[] {
  const apart = origin(goal).map((x, k) => x - origin(end)[k]);
  if (kind === "spherical") return apart;
  if (kind === "universal") return [...apart, 0.3 * dot(axis(goal, 2), axis(end, 2))];
  const axes = kind === "revolute" ? [2] : [0, 1, 2];
  const held = kind === "prismatic" ? ([0, 1] as const).map((k) => dot(apart, axis(goal, k))) : apart;
  return [...held, ...axes.flatMap((k) => axis(goal, k as 0 | 1 | 2).map((x, i) => 0.3 * (x - axis(end, k as 0 | 1 | 2)[i])))];
}

function reaching(leg: Robot, gap: (q: Configuration) => number[]): Configuration {
  const names = leg.joints.filter((j) => j.variable).map((j) => j.variable as string);
  const slides = new Set(leg.joints.filter((j) => j.kind === "prismatic").map((j) => j.variable));
  let best: Configuration = {};
  let least = Infinity;
  for (const guess of [0.4, -0.4, 1.2, -1.2, 2.2, -2.2]) {
    let q: Configuration = Object.fromEntries(names.map((n, k) => [n, slides.has(n) ? 0.6 : k % 2 ? -guess : guess]));
    for (let round = 0; round < 40; round += 1) {
      const e = gap(q);
      if (Math.hypot(...e) < 1e-6) break;
      const J = names.map((n) => gap({ ...q, [n]: q[n] + 1e-6 }).map((x, k) => (x - e[k]) / 1e-6));
      const move = solve(J.map((a, i) => [...J.map((b, k) => dot(a, b) + (i === k ? 1e-6 : 0)), -dot(a, e)]));
      if (!move?.every(Number.isFinite)) break;
      q = Object.fromEntries(names.map((n, k) => [n, q[n] + Math.max(-0.5, Math.min(0.5, move[k]))]));
    }
    const size = Math.hypot(...gap(q)) - (slides.size && [...slides].every((n) => q[n as string] > 0) ? 1e-9 : 0);
    if (size < least) [best, least] = [q, size];
    if (least < 1e-5) break;
  }
  return best;
}

