// Frames from the table, in the browser: T = Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r) (K97 § 2).

import { evaluate, parse } from "./expression";
import { type FreePose, poseOfFree } from "./free";
import { isInLeg } from "./legs";
import { type Coordinates, type Plate, atHome, plateOf, platformPose } from "./platform";
import { GEOMETRY, type Parameter, type Robot, isFree, moving, numbersOf } from "./robot";

/** A displacement, row by row: 12 numbers of a 3 × 4 matrix. */
export type Pose = number[];
export type Vector = [number, number, number];

export const IDENTITY: Pose = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

export function times(a: Pose, b: Pose): Pose {
  const out = new Array<number>(12);
  for (let i = 0; i < 3; i += 1)
    for (let k = 0; k < 4; k += 1) {
      const sum = a[4 * i] * b[k] + a[4 * i + 1] * b[4 + k] + a[4 * i + 2] * b[8 + k];
      out[4 * i + k] = k === 3 ? sum + a[4 * i + 3] : sum;
    }
  return out;
}

export const Rz = (x: number): Pose => [Math.cos(x), -Math.sin(x), 0, 0, Math.sin(x), Math.cos(x), 0, 0, 0, 0, 1, 0];
export const Rx = (x: number): Pose => [1, 0, 0, 0, 0, Math.cos(x), -Math.sin(x), 0, 0, Math.sin(x), Math.cos(x), 0];
export const T = (x: number, y: number, z: number): Pose => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];

export type Numbers = Record<Parameter, number>;

/** The six elementary displacements of a joint, in order. */
export const elements = (p: Numbers): Pose[] => [
  Rz(p.gamma), T(0, 0, p.b), Rx(p.alpha), T(p.d, 0, 0), Rz(p.theta), T(0, 0, p.r),
];

export const origin = (pose: Pose): Vector => [pose[3], pose[7], pose[11]];
export const axis = (pose: Pose, k: 0 | 1 | 2): Vector => [pose[k], pose[4 + k], pose[8 + k]];

export interface Scene {
  base: Pose;
  /** The numbers of each joint's row, and its frame in the world. */
  rows: Numbers[];
  frames: Pose[];
  /** Paths of cells that have no number; they count as 0, lengths as something that can be seen. */
  missing: string[];
  /** The platform of a parallel robot. */
  plate: Plate | null;
}

/** What is moved beside the joints: a free base, or a platform. */
export interface Placed { free?: FreePose | null; platform?: Coordinates | null }

/** The frames of a robot at a configuration. `valid` gives the last valid text of a cell that is wrong now; `placed` moves a free base or a platform. */
export function sceneOf(robot: Robot, q: Record<string, number>, valid: Record<string, string> = {}, { free = null, platform = null }: Placed = {}): Scene {
  const numbers = numbersOf(robot);
  const value = (name: string) => q[name] ?? numbers(name);
  const missing: string[] = [];
  const read = (path: string, text: string, other: number) => {
    for (const shown of [text, valid[path] ?? ""]) {
      const number = evaluate(parse(shown), value);
      if (shown !== "" && Number.isFinite(number)) return number;
    }
    missing.push(path);
    return other;
  };
  const placed = poseOf(robot.base.pose, value);
  const base = free && isFree(robot) ? times(poseOfFree(free), placed) : placed;
  const rows = robot.joints.map((joint, k) => {
    const path = `joints.${k + 1}`;
    const row = {} as Numbers;
    for (const name of GEOMETRY) {
      const length = name === "d" || name === "r" || name === "b";
      row[name] = read(`${path}.${name}`, joint[name], length && moving(joint) !== name ? 0.3 : 0);
    }
    return row;
  });
  const frames: Pose[] = [];
  const platformAt = robot.parallel ? times(base, platformPose(robot, platform ?? atHome(robot))) : null;
  const known = new Map<number, Pose>([[0, base], ...(platformAt ? [[robot.joints.length + 1, platformAt] as const] : [])]);
  const frame = (j: number, depth = 0): Pose => {
    const found = known.get(j);
    if (found) return found;
    const joint = robot.joints[j - 1];
    if (!joint || depth > robot.joints.length) return base;
    const made = elements(rows[j - 1]).reduce(times, frame(joint.parent, depth + 1));
    known.set(j, made);
    return made;
  };
  robot.joints.forEach((_, k) => frames.push(frame(k + 1)));
  const plate = platformAt && plateOf(robot, platformAt, frames);
  return { base, rows, frames, missing, plate };
}

export function poseOf(rows: string[][] | null, value: (name: string) => number): Pose {
  if (!rows) return IDENTITY;
  const flat = rows.slice(0, 3).flatMap((row) => row.map((text) => evaluate(parse(text), value)));
  return flat.length === 12 && flat.every(Number.isFinite) ? flat : IDENTITY;
}

/** The frame of a link: 0 is the base, and the link behind the last joint the platform. */
export const frameOf = (scene: Scene, link: number): Pose | undefined => (link ? (scene.frames[link - 1] ?? scene.plate?.pose) : scene.base);

/** The tips: joints of the tree, but those of legs, whose link carries no other. */
export function tips(robot: Robot): number[] {
  const links = robot.joints.length - 2 * robot.cuts.length;
  const carried = new Set(robot.joints.map((joint) => joint.parent));
  return robot.joints.slice(0, links).map((_, k) => k + 1).filter((j) => !carried.has(j) && !isInLeg(robot, j));
}

/** Roll, pitch and yaw: R = Rz(yaw) Ry(pitch) Rx(roll). */
export function rpy(pose: Pose): Vector {
  const pitch = Math.atan2(-pose[8], Math.hypot(pose[0], pose[4]));
  if (Math.abs(Math.cos(pitch)) < 1e-9) return [Math.atan2(-pose[6], pose[5]), pitch, 0];
  return [Math.atan2(pose[9], pose[10]), pitch, Math.atan2(pose[4], pose[0])];
}

export function fromRpy(p: Vector, [roll, pitch, yaw]: Vector): Pose {
  const Ry: Pose = [Math.cos(pitch), 0, Math.sin(pitch), 0, 0, 1, 0, 0, -Math.sin(pitch), 0, Math.cos(pitch), 0];
  return [T(...p), Rz(yaw), Ry, Rx(roll)].reduce(times);
}

export function reach(scene: Scene): number {
  if (scene.plate) return 1.5 * Math.max(0.05, ...[...scene.plate.points, ...scene.frames.map(origin)].map((p) => Math.hypot(...p)));
  const sum = scene.rows.reduce((s, row) => s + Math.hypot(row.d, row.r, row.b), 0);
  const farthest = Math.max(0, ...scene.frames.map((f) => Math.hypot(f[3] - scene.base[3], f[7] - scene.base[7], f[11] - scene.base[11])));
  return Math.max(Math.min(sum, 2.2 * Math.max(farthest, sum / 3)), 0.05);
}
