// The robot as the page edits it: the same document that the server reads, every value a text.

import { evaluate, parse, symbolsOf } from "./expression";
import { inLegs } from "./legs";

export type Kind = "revolute" | "prismatic" | "fixed";
export type Table = Record<string, string>;
export const GEOMETRY = ["gamma", "b", "alpha", "d", "theta", "r"] as const;
export type Parameter = (typeof GEOMETRY)[number];
export const INERTIA = ["XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M"] as const;
export const DRIVE = ["IA", "FV", "FS", "FO"] as const;

export interface Joint extends Record<Parameter, string> {
  name: string;
  parent: number;
  kind: Kind;
  actuated: boolean;
  elastic: boolean;
  variable: string | null;
  stiffness: string;
  rest: string;
  limits: Table;
  inertia: Table;
  drive: Table;
  wrench: Table;
  motion: Table;
}

export interface Robot {
  name: string;
  title: string;
  source: string;
  gravity: string[]; given?: string | null; home?: Record<string, string>;
  base: {
    kind: "fixed" | "moving" | "floating" | "mobile";
    pose: string[][] | null;
    V0: string[] | null;
    VP0: string[] | null;
    inertia: Table;
    wrench: Table;
    wheels: { joint: number; radius: string }[];
  };
  joints: Joint[];
  cuts: { joint: number; mate: number }[];
  frames: { name: string; link: number; pose: string[][] | null }[];
  coupling: string[][];
  values: Record<string, string>;
  /** Of a parallel robot: its joints are those of all legs, one leg after the other, and then those of no leg. The platform is the link behind the last joint. */
  parallel?: Parallel | null;
}

export const ATTACHMENTS = ["spherical", "universal", "revolute", "prismatic", "fixed"] as const;
/** A leg: how many joints are its own, those that close its loops, and how its frame `end` is attached to the platform. */
export interface Leg {
  name: string; title: string; source: string;
  kind: (typeof ATTACHMENTS)[number];
  pose: string[][];
  end: number | string | null;
  joints: number;
  closing: Joint[];
}
export interface Parallel { home: string[][]; branch?: number[] | null; inertia: Table; wrench: Table; legs: Leg[] }

export const moving = (joint: Joint): Parameter | null =>
  joint.kind === "revolute" ? "theta" : joint.kind === "prismatic" ? "r" : null;

/** The numbers between which a variable moves: its limits, or half a turn and 1 m (2 m of a leg) to both sides. */
export function rangeOf(robot: Robot, joint: Joint): [number, number] {
  const numbers = numbersOf(robot);
  const far = joint.kind === "revolute" ? Math.PI : robot.parallel ? 2 : 1;
  const limit = (text: string | undefined, other: number) => (text === undefined ? other : (Number.isFinite(Number(text)) ? Number(text) : numbers(text)) || other);
  return [limit(joint.limits.lower, -far), limit(joint.limits.upper, far)];
}

export const isFree = (robot: Robot) => robot.base.kind === "floating" || robot.base.kind === "mobile";

export const linkCount = (robot: Robot) => robot.joints.length - 2 * robot.cuts.length;

const symbolic = (letters: readonly string[], j: number): Table =>
  Object.fromEntries(letters.map((name) => [name, `${name}${j}`]));

export function newJoint(j: number, parent: number, kind: Kind = "revolute"): Joint {
  const joint: Joint = {
    name: `joint${j}`, parent, kind, actuated: kind !== "fixed", elastic: false,
    gamma: "0", b: "0", alpha: "0", d: "0", theta: "0", r: "0",
    variable: kind === "fixed" ? null : `q${j}`, stiffness: "0", rest: "0",
    limits: {}, inertia: symbolic(INERTIA, j), drive: symbolic(["IA", "FV", "FS"], j), wrench: {}, motion: {},
  };
  const coordinate = moving(joint);
  return coordinate ? { ...joint, [coordinate]: `q${j}` } : joint;
}

/** A robot to begin with: an arm whose axes alternate, with lengths that have values. */
export function newRobot(count: number, structure: "serial" | "tree" | "loop" = "serial"): Robot {
  const joints: Joint[] = [];
  const values: Record<string, string> = { G3: "-9.81" };
  for (let j = 1; j <= count; j += 1) {
    const parent = structure === "tree" && j > 2 ? (j === Math.ceil(count / 2) + 1 ? 1 : j - 1) : j - 1;
    const joint = newJoint(j, parent);
    if (j === 2) joint.alpha = "pi/2";
    if (j > 2) {
      joint.d = `D${j}`;
      values[joint.d] = "0.4";
    }
    if (structure === "tree" && parent === 1 && j > 2) joint.gamma = "pi/2";
    joints.push(joint);
  }
  const robot: Robot = {
    name: "robot", title: "", source: "", gravity: ["0", "0", "G3"],
    base: { kind: "fixed", pose: null, V0: null, VP0: null, inertia: {}, wrench: {}, wheels: [] },
    joints, cuts: [], frames: [], coupling: [], values,
  };
  return structure === "loop" ? fourBar(robot) : robot;
}

/** Two links and a coupler, closed by a cut: the simplest loop. */
function fourBar(robot: Robot): Robot {
  const joint = (j: number, parent: number, more: Partial<Joint>): Joint => ({ ...newJoint(j, parent), ...more });
  const bare = { inertia: {}, drive: {}, actuated: false };
  return {
    ...robot,
    name: "loop",
    joints: [
      joint(1, 0, { name: "crank" }),
      joint(2, 1, { name: "coupler", d: "L1", actuated: false }),
      joint(3, 0, { name: "rocker", d: "L4", actuated: false }),
      joint(4, 2, { name: "cut", d: "L2", ...bare }),
      { ...newJoint(5, 3, "fixed"), name: "mate", d: "L3", ...bare },
    ],
    cuts: [{ joint: 4, mate: 5 }],
    values: { L1: "0.3", L2: "0.7", L3: "0.5", L4: "0.8", G3: "-9.81" },
  };
}

/** The number of a symbol from the robot's values; NaN where it has none. */
export function numbersOf(robot: Robot): (name: string) => number {
  const found = new Map<string, number>();
  const value = (name: string): number => {
    const known = found.get(name);
    if (known !== undefined) return known;
    found.set(name, NaN); // a value that depends on itself has no number
    const text = robot.values[name];
    const number = text === undefined ? NaN : evaluate(parse(text), value);
    found.set(name, number);
    return number;
  };
  return value;
}

/** Paths of the cells in which each symbol stands. */
export function cellsBySymbol(robot: Robot): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (path: string, text: string) =>
    symbolsOf(parse(text)).forEach((name) => found.set(name, [...(found.get(name) ?? []), path]));
  robot.joints.forEach((joint, k) => {
    const path = `joints.${k + 1}`;
    GEOMETRY.forEach((name) => add(`${path}.${name}`, joint[name]));
    for (const table of ["inertia", "drive", "wrench"] as const)
      Object.entries(joint[table]).forEach(([name, text]) => add(`${path}.${table}.${name}`, text));
  });
  robot.gravity.forEach((text, k) => add(`gravity.${k}`, text));
  Object.entries(robot.base.inertia).forEach(([name, text]) => add(`base.inertia.${name}`, text));
  if (robot.parallel) {
    const poses: [string, string[][]][] = [["parallel.home", robot.parallel.home], ...robot.parallel.legs.map((leg, i): [string, string[][]] => [`parallel.legs.${i + 1}.pose`, leg.pose])];
    for (const [path, pose] of poses) pose.forEach((row, i) => row.forEach((text, k) => add(`${path}.${i}.${k}`, text)));
    Object.entries(robot.parallel.inertia).forEach(([name, text]) => add(`parallel.inertia.${name}`, text));
  }
  return found;
}

/** 6R, or 2R 1P 3R, with loops and base. */
export function summary(robot: Robot, say: (text: string) => string): string {
  if (robot.parallel) return `${robot.parallel.legs.length} ${say("legs")}, ${robot.joints.filter((j) => j.actuated).length} ${say("motors")}`;
  const kinds = robot.joints.slice(0, robot.joints.length - robot.cuts.length).map((j) => (j.kind === "fixed" ? "F" : j.kind[0].toUpperCase()));
  const runs: [string, number][] = [];
  for (const kind of kinds)
    if (runs.length && runs[runs.length - 1][0] === kind) runs[runs.length - 1][1] += 1;
    else runs.push([kind, 1]);
  const parts = [runs.map(([kind, n]) => `${n}${kind}`).join(" ")];
  if (robot.cuts.length) parts.push(`${robot.cuts.length} ${say(robot.cuts.length > 1 ? "loops" : "loop")}`);
  else if (family(robot) === "tree") parts.push(say("tree"));
  return parts.join(", ");
}

export function family(robot: Robot): "serial" | "tree" | "loops" | "free" | "parallel" {
  if (robot.parallel) return "parallel";
  if (isFree(robot)) return "free";
  if (robot.cuts.length) return "loops";
  return robot.joints.every((joint, k) => joint.parent === k) ? "serial" : "tree";
}

const get = (at: any, key: string) => (Array.isArray(at) ? at[Number(key)] : at?.[key]);

/** joints.3.d counts joints from 1, and so do cuts, frames and legs; gravity.2 and the others count from 0. */
const COUNTED = ["joints", "cuts", "frames", "legs", "closing"];
const keys = (path: string) => path.split(".").map((key, k, all) => (k && COUNTED.includes(all[k - 1]) ? String(Number(key) - 1) : key));

export const cellText = (robot: Robot, path: string): string => String(keys(path).reduce(get, robot as any) ?? "0");

/** Whether a path is that of one text, and not of a row or a table. */
export const isCell = (robot: Robot, path: string): boolean => path !== "" && typeof keys(path).reduce(get, robot as any) !== "object";

/** The robot with another text in a cell. */
export function withCell(robot: Robot, path: string, value: unknown): Robot {
  const change = (at: any, parts: string[]): any => {
    if (!parts.length) return value;
    const copy = Array.isArray(at) ? [...at] : { ...at };
    const key = Array.isArray(at) ? Number(parts[0]) : parts[0];
    copy[key] = change(copy[key], parts.slice(1));
    return copy;
  };
  return change(robot, keys(path));
}

// joints come and go; antecedents, cuts, wheels and frames keep pointing at the same links

export function renumbered(robot: Robot, number: (j: number) => number, joints = robot.joints): Robot {
  return {
    ...robot,
    joints: joints.map((joint) => ({ ...joint, parent: number(joint.parent) })),
    cuts: robot.cuts.map((cut) => ({ joint: number(cut.joint), mate: number(cut.mate) })),
    frames: robot.frames.map((frame) => ({ ...frame, link: number(frame.link) })),
    base: { ...robot.base, wheels: robot.base.wheels.map((wheel) => ({ ...wheel, joint: number(wheel.joint) })) },
  };
}

const freshNumber = (robot: Robot) => {
  const taken = new Set([...robot.joints.map((j) => j.variable), ...robot.joints.map((j) => j.name)]);
  let n = robot.joints.length + 1;
  while (taken.has(`q${n}`) || taken.has(`joint${n}`)) n += 1;
  return n;
};

/** A joint on the last link; on the platform, where all joints belong to legs. */
export function addJoint(robot: Robot): Robot {
  const at = linkCount(robot) + 1;
  const n = freshNumber(robot);
  const first = at === inLegs(robot) + 1;
  const joint = { ...newJoint(n, first && robot.parallel ? at + 1 : at - 1), d: first ? "0" : "0.3" };
  const moved = renumbered(robot, (j) => (j >= at ? j + 1 : j));
  return { ...moved, joints: [...moved.joints.slice(0, at - 1), joint, ...moved.joints.slice(at - 1)], coupling: [] };
}

/** The links behind the joint move to its antecedent; a cut joint goes with its mate. */
export function removeJoint(robot: Robot, j: number): Robot {
  const cut = robot.cuts.find((c) => c.joint === j || c.mate === j);
  const gone = cut ? [cut.joint, cut.mate] : [j];
  const parent = robot.joints[j - 1].parent;
  const number = (k: number): number => {
    const kept = gone.includes(k) ? parent : k;
    return kept - gone.filter((g) => g < kept).length;
  };
  const without = { ...robot, cuts: robot.cuts.filter((c) => c !== cut), coupling: [] };
  return renumbered(without, number, robot.joints.filter((_, k) => !gone.includes(k + 1)));
}

/** Exchange a joint of the tree with its neighbour; null where there is none, and in legs. */
export function moveJoint(robot: Robot, j: number, by: 1 | -1): Robot | null {
  const other = j + by;
  if (Math.min(j, other) <= inLegs(robot) || Math.max(j, other) > linkCount(robot)) return null;
  const number = (k: number) => (k === j ? other : k === other ? j : k);
  const joints = [...robot.joints];
  [joints[j - 1], joints[other - 1]] = [joints[other - 1], joints[j - 1]];
  const moved = renumbered(robot, number, joints);
  // In a chain the order changes, not the antecedents.
  const serial = robot.joints[Math.max(j, other) - 1].parent === Math.min(j, other);
  if (!serial) return moved;
  return { ...robot, joints: joints.map((joint, k) => ({ ...joint, parent: robot.joints[k].parent })), coupling: [] };
}

/** A passive joint behind the last link, and its mate on link 1: to be placed in the table. */
export function cutLoop(robot: Robot): Robot {
  const links = linkCount(robot);
  const n = freshNumber(robot);
  const count = robot.cuts.length;
  const bare = { inertia: {}, drive: {}, actuated: false };
  const joint: Joint = { ...newJoint(n, links), ...bare, name: `cut${count + 1}`, d: "0.3" };
  const mate: Joint = { ...newJoint(n + 1, Math.min(1, links), "fixed"), ...bare, name: `mate${count + 1}`, d: "0.3" };
  const at = links + count + 1;
  const moved = renumbered(robot, (j) => (j >= at ? j + 1 : j));
  const joints = [...moved.joints.slice(0, at - 1), joint, ...moved.joints.slice(at - 1), mate];
  const cuts = Array.from({ length: count + 1 }, (_, k) => ({ joint: links + 1 + k, mate: links + count + 2 + k }));
  return { ...moved, joints, cuts };
}

/** A frame on the last link; on the platform, where all joints belong to legs. */
export function attachTool(robot: Robot): Robot {
  const count = linkCount(robot);
  const link = robot.parallel && count === inLegs(robot) ? count + 1 : count;
  const name = robot.frames.some((f) => f.name === "tool") ? `tool${robot.frames.length + 1}` : "tool";
  const pose = [["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0.1"], ["0", "0", "0", "1"]];
  return { ...robot, frames: [...robot.frames, { name, link, pose }] };
}

const keysByRobot = new WeakMap<Robot, string>();

/** What of a robot enters the equations: everything but the numbers of its symbols. */
export function keyOf(robot: Robot): string {
  let key = keysByRobot.get(robot);
  if (key === undefined) keysByRobot.set(robot, (key = JSON.stringify({ ...robot, values: null, title: "", source: "" })));
  return key;
}
