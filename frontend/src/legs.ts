// The legs of a parallel robot in its tables: which joints are whose, and cells that are alike in all legs. Joints of no leg come behind those of all legs.

import { type Pose, poseOf } from "./geometry";
import { type Joint, type Leg, type Robot, cellText, numbersOf, renumbered, withCell } from "./robot";

/** The legs; none, where the robot has no platform. */
export const legsOf = (robot: Robot): Leg[] => robot.parallel?.legs ?? [];

/** The number of joints before leg i, counted from 0; of all legs, where i is their number. */
export const before = (robot: Robot, i: number): number => legsOf(robot).slice(0, i).reduce((sum, leg) => sum + leg.joints, 0);

/** The number of joints that belong to legs. */
export const inLegs = (robot: Robot): number => before(robot, legsOf(robot).length);

/** The leg of joint j, counted from 0; the number of legs, where it belongs to none. */
export function legOf(robot: Robot, j: number): number {
  let last = 0;
  const found = legsOf(robot).findIndex((leg) => j <= (last += leg.joints));
  return found < 0 ? legsOf(robot).length : found;
}

/** Whether joint j follows a platform: it belongs to a leg. */
export const isInLeg = (robot: Robot, j: number): boolean => j <= inLegs(robot);

/** Where leg i ends: the number of a link among those of all legs, and the frame on it that is attached. */
export function endOf(robot: Robot, i: number): { link: number; pose: Pose } {
  const { end, joints } = robot.parallel!.legs[i];
  const first = before(robot, i);
  const value = numbersOf(robot);
  if (typeof end === "number") return { link: first + end, pose: poseOf(null, value) };
  const name = `leg ${i + 1} ${end}`;
  const frame = end === null ? undefined : robot.frames.find((f) => f.name === name);
  if (frame) return { link: frame.link, pose: poseOf(frame.pose, value) };
  const rows = robot.joints.slice(first, first + joints);
  const named = end === null ? -1 : rows.findIndex((joint) => joint.name === name);
  if (named >= 0) return { link: first + named + 1, pose: poseOf(null, value) };
  const carried = new Set(rows.map((joint) => joint.parent));
  const tips = rows.map((_, k) => first + k + 1).filter((j) => !carried.has(j));
  return { link: tips[tips.length - 1] ?? first + joints, pose: poseOf(null, value) };
}

/** A text of leg i as another leg has it: its symbols end in _i. */
const asOf = (text: string, i: number, other: number) => text.replace(new RegExp(`\\b([A-Za-z]\\w*)_${i + 1}\\b`, "g"), `$1_${other + 1}`);

/** A path of leg i and what makes it the path of another leg; null where it is of no leg. */
function inLeg(robot: Robot, path: string): { leg: number; of: (other: number) => string } | null {
  const parts = path.split(".");
  if (parts[0] === "joints") {
    const leg = legOf(robot, Number(parts[1]));
    if (leg === legsOf(robot).length) return null;
    const place = Number(parts[1]) - before(robot, leg);
    return { leg, of: (other) => ["joints", before(robot, other) + place, ...parts.slice(2)].join(".") };
  }
  if (parts[0] === "parallel" && parts[1] === "legs") return { leg: Number(parts[2]) - 1, of: (other) => ["parallel", "legs", other + 1, ...parts.slice(3)].join(".") };
  const found = /^values\.\w*_(\d+)$/.exec(path);
  const leg = found ? Number(found[1]) - 1 : -1;
  return leg >= 0 && leg < robot.parallel!.legs.length ? { leg, of: (other) => path.replace(/_\d+$/, `_${other + 1}`) } : null;
}

/** The robot with another text in a cell, and in the same cell of each leg that has the same text there, if `alike`. */
export function withAlike(robot: Robot, path: string, text: string, alike: boolean): Robot {
  const place = robot.parallel && alike ? inLeg(robot, path) : null;
  if (!place) return withCell(robot, path, text);
  const was = cellText(robot, path);
  const size = robot.parallel!.legs[place.leg].joints;
  return robot.parallel!.legs.reduce((made, leg, other) => {
    const at = place.of(other);
    const same = other === place.leg || (leg.joints === size && cellText(robot, at) === asOf(was, place.leg, other));
    return same ? withCell(made, at, asOf(text, place.leg, other)) : made;
  }, robot);
}

// legs that come and go

interface Part { leg: Leg; branch: number; joints: Joint[]; frames: Robot["frames"]; values: Robot["values"] }

const moved = (joints: Joint[], by: number): Joint[] => joints.map((j) => ({ ...j, parent: j.parent ? j.parent + by : 0 }));
const ownerOf = (robot: Robot, name: string): number => {
  const leg = Number(/_([1-9]\d*)$/.exec(name)?.[1] ?? 0) - 1;
  return leg < robot.parallel!.legs.length ? leg : -1;
};

/** Leg i by itself: links and joints are counted from its own first one. */
function partOf(robot: Robot, i: number): Part {
  const leg = robot.parallel!.legs[i];
  const first = before(robot, i);
  return {
    leg: { ...leg, closing: moved(leg.closing, -first) },
    branch: robot.parallel!.branch?.[i] ?? 0,
    joints: moved(robot.joints.slice(first, first + leg.joints), -first),
    frames: robot.frames.filter((f) => f.name.startsWith(`leg ${i + 1} `)).map((f) => ({ ...f, link: f.link ? f.link - first : 0 })),
    values: Object.fromEntries(Object.entries(robot.values).filter(([name]) => ownerOf(robot, name) === i)),
  };
}

/** Whether a named frame is of a leg: its name begins with the leg's number. */
export const isOfLeg = (robot: Robot, name: string): boolean => legsOf(robot).some((_, i) => name.startsWith(`leg ${i + 1} `));

/** What leg i has as another leg has it: its symbols end in _i, and its names begin with its number. */
function asLeg<T>(part: T, i: number, other: number): T {
  const text = (x: string) => asOf(x, i, other).replace(new RegExp(`^leg ${i + 1} `), `leg ${other + 1} `);
  if (typeof part === "string") return text(part) as T;
  if (Array.isArray(part)) return part.map((x) => asLeg(x, i, other)) as T;
  if (part && typeof part === "object") return Object.fromEntries(Object.entries(part).map(([key, x]) => [text(key), asLeg(x, i, other)])) as T;
  return part;
}

/** The robot with these legs. */
function withLegs(robot: Robot, parts: Part[]): Robot {
  const common = Object.fromEntries(Object.entries(robot.values).filter(([name]) => ownerOf(robot, name) < 0));
  const wasFirst = inLegs(robot);
  let first = 0;
  const placed = parts.map((part) => {
    const by = first;
    first += part.leg.joints;
    return {
      leg: { ...part.leg, closing: moved(part.leg.closing, by) },
      joints: moved(part.joints, by),
      frames: part.frames.map((f) => ({ ...f, link: f.link ? f.link + by : 0 })),
    };
  });
  const others = renumbered(robot, (j) => (j > wasFirst ? j + first - wasFirst : j));
  return {
    ...others,
    joints: [...placed.flatMap((p) => p.joints), ...others.joints.slice(wasFirst)],
    frames: [...placed.flatMap((p) => p.frames), ...others.frames.filter((f) => !isOfLeg(robot, f.name))],
    values: Object.assign({ ...common }, ...parts.map((p) => p.values)),
    parallel: { ...robot.parallel!, branch: robot.parallel!.branch && parts.map((p) => p.branch), legs: placed.map((p) => p.leg) },
  };
}

const partsOf = (robot: Robot): Part[] => robot.parallel!.legs.map((_, i) => partOf(robot, i));

/** The robot with a copy of its last leg, at the same place. */
export function addLeg(robot: Robot): Robot {
  const parts = partsOf(robot);
  const last = parts.length - 1;
  return withLegs(robot, [...parts, asLeg(parts[last], last, last + 1)]);
}

/** The robot without leg i; the legs after it have the next lower number. */
export function removeLeg(robot: Robot, i: number): Robot {
  return withLegs(robot, partsOf(robot).flatMap((part, k) => (k === i ? [] : [k < i ? part : asLeg(part, k, k - 1)])));
}
