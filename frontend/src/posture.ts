// A posture to begin with: bent, above the ground, with closed loops.

import { axis, origin, sceneOf, tips } from "./geometry";
import { inLegs } from "./legs";
import { legsAtHome } from "./platform";
import { solve } from "./program";
import { type Robot, linkCount } from "./robot";

const BENT = [0.35, 0.62, 0.55, 0.4, -0.7, 0.25];

/** The signs of joints 2 and 3 are those with which the tip is highest and far from the base. */
export function posture(robot: Robot): Record<string, number> {
  if (robot.parallel) return { ...Object.fromEntries(robot.joints.slice(inLegs(robot)).filter((joint) => joint.variable).map((joint, k) => [joint.variable!, joint.kind === "prismatic" ? 0.2 : BENT[k % BENT.length]])), ...legsAtHome(robot) };
  const many = robot.joints.length > 12;
  const at = (second: number, third: number) => {
    const q: Record<string, number> = {};
    robot.joints.forEach((joint, k) => {
      const bent = k === 1 ? second * BENT[1] : k === 2 ? third * BENT[2] : BENT[k % BENT.length];
      if (joint.variable) q[joint.variable] = joint.kind === "prismatic" ? 0.2 : many ? 0.12 * (k % 3) : bent;
    });
    return q;
  };
  const tip = tips(robot).pop();
  if (!robot.cuts.length && (many || !tip)) return at(1, 1);
  const score = (q: Record<string, number>) => {
    const scene = sceneOf(robot, q);
    const [x, y, z] = origin(scene.frames[(tip ?? 1) - 1]);
    return z - scene.base[11] + 0.7 * Math.hypot(x - scene.base[3], y - scene.base[7]);
  };
  if (robot.cuts.length) return raised(robot, score);
  return [at(1, 1), at(1, -1), at(-1, 1), at(-1, -1)].reduce((best, q) => (score(q) > score(best) + 1e-9 ? q : best));
}

/** The closed posture, of some, that is highest; the first one where none closes. */
function raised(robot: Robot, score: (q: Record<string, number>) => number): Record<string, number> {
  const motors = robot.joints.slice(0, linkCount(robot)).filter((joint) => joint.variable && joint.actuated);
  const tries = [[0.3, -0.3], [-1.2, -0.35], [1.2, 0.35], [-0.6, 0.3], [0.6, -0.3]].map(([second, last]) =>
    closed(robot, Object.fromEntries(motors.map((joint, k) => [joint.variable, joint.kind === "prismatic" ? 0.2 : k === 1 ? second : k === motors.length - 1 ? last : 0.3]))),
  );
  const good = tries.filter((q) => gapOf(robot, q) < 1e-4);
  return good.length ? good.reduce((best, q) => (score(q) > score(best) + 1e-9 ? q : best)) : tries[0];
}

const gapOf = (robot: Robot, q: Record<string, number>): number => Math.hypot(...gaps(robot, q));

function gaps(robot: Robot, q: Record<string, number>): number[] {
  const { frames } = sceneOf(robot, q);
  return robot.cuts.flatMap((cut) => {
    const [a, b] = [frames[cut.joint - 1], frames[cut.mate - 1]];
    const apart = origin(a).map((x, k) => x - origin(b)[k]);
    return [...apart, ...axis(a, 2).map((x, k) => 0.3 * (x - axis(b, 2)[k]))];
  });
}

/** Close loops by the frames alone, roughly: for pictures, until the equations of the loops are there. */
function closed(robot: Robot, start: Record<string, number>): Record<string, number> {
  const joints = robot.joints.slice(0, linkCount(robot)).filter((joint) => joint.variable);
  const names = joints.filter((joint) => !joint.actuated).map((joint) => joint.variable as string);
  const gap = (q: Record<string, number>) => gaps(robot, q);
  const size = (e: number[]) => Math.hypot(...e);
  let best = start;
  for (const guess of [0, 0.9, -0.9, 1.8, -1.8, 0.4, -1.3]) {
    let q: Record<string, number> = { ...Object.fromEntries(joints.map((j) => [j.variable, 0])), ...start, ...Object.fromEntries(names.map((n, k) => [n, k % 2 ? -guess : guess])) };
    for (let round = 0; round < 40 && size(gap(q)) > 1e-6; round += 1) {
      const e = gap(q);
      const J = names.map((n) => gap({ ...q, [n]: q[n] + 1e-6 }).map((x, k) => (x - e[k]) / 1e-6));
      const rows = names.map((_, a) => [...names.map((__, b) => J[a].reduce((s, x, k) => s + x * J[b][k], a === b ? 1e-9 : 0)), -J[a].reduce((s, x, k) => s + x * e[k], 0)]);
      const move = solve(rows);
      if (!move?.every(Number.isFinite)) break;
      q = { ...q, ...Object.fromEntries(names.map((n, k) => [n, q[n] + Math.max(-0.5, Math.min(0.5, move[k]))])) };
    }
    if (size(gap(q)) < size(gap(best === start ? { ...q, ...start } : best)) || best === start) best = q;
    if (size(gap(best)) < 1e-5) break;
  }
  return best;
}
