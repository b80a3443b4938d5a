// The branches of inverse geometry, from the program of all of them: evaluated here, so that they follow the target.

import { givenAt } from "./actions/motion";
import { valuesOf } from "./live";
import type { Result } from "./state/result";
import { get } from "./store";
import { JOINTS } from "./theme";

export interface Branch { number: number; q: Record<string, number>; valid: boolean; error: number; distance: number; group: number }

const near = (x: number) => Math.atan2(Math.sin(x), Math.cos(x));

export function branchesOf(result: Result): Branch[] {
  const inverse = result.data?.inverse;
  if (!inverse || !result.runner) return [];
  const numeric = inverse.numeric ? (get().numeric?.found ?? null) : null;
  if (inverse.numeric ? !numeric : !valuesOf(result)) return [];
  const { runner } = result;
  if (numeric) return listed(result, numeric.q.flat(), numeric.q.map(() => 1), numeric.q.map(() => numeric.distance));
  return listed(result, runner.output("q"), runner.output("valid"), runner.output("error"));
}

function listed(result: Result, all: number[], valid: number[], error: number[]): Branch[] {
  const inverse = result.data!.inverse!;
  const n = inverse.joints.length;
  const names = inverse.joints.map((j) => result.robot.joints[j - 1].variable ?? "");
  const kinds = inverse.joints.map((j) => result.robot.joints[j - 1].kind);
  const { q: here } = get();
  const found = valid.map((ok, k) => {
    const values = all.slice(n * k, n * k + n).map((x, i) => (kinds[i] === "revolute" ? near(x) : x));
    const turns = values.map((x, i) => Math.abs(kinds[i] === "revolute" ? near(x - (here[names[i]] ?? 0)) : x - (here[names[i]] ?? 0)));
    return {
      number: k, q: Object.fromEntries(names.map((name, i) => [name, values[i]])), valid: ok > 0.5 && values.every(Number.isFinite),
      error: error[k] ?? NaN, distance: Math.max(...turns), group: 0,
    };
  });
  return grouped(found, names);
}

/** Branches with the same first joints are one posture of the arm: they share a colour. */
function grouped(branches: Branch[], names: string[]): Branch[] {
  const first = names.slice(0, Math.min(3, Math.max(1, names.length - 3)));
  const keys: string[] = [];
  for (const branch of branches) {
    const key = branch.valid ? first.map((name) => Math.round(branch.q[name] * 1000)).join() : "none";
    if (!keys.includes(key)) keys.push(key);
    branch.group = keys.indexOf(key);
  }
  return branches;
}

/** What is given beside the target, at the configuration of the page: positions of joints, or the arm angle. */
export function givenNow(result: Result): number[] {
  const { q } = get();
  return result.data!.inverse!.given.map(({ joint }) => (joint ? (q[result.robot.joints[joint - 1].variable ?? ""] ?? 0) : armAngle(result)));
}

/** The arm angle with which a branch is nearest to the configuration of the page: a search, first coarse, then fine. */
function armAngle(result: Result): number {
  const { q, qd, qdd } = get();
  const other = givenAt({ ...result.robot, values: get().robot?.values ?? result.robot.values }, q, qd, qdd);
  const away = (psi: number): number => {
    const { runner } = result;
    runner!.run((symbol, array, place) => (array === "r" ? psi : other(symbol, array, place)));
    const found = listed(result, runner!.output("q"), runner!.output("valid"), runner!.output("error"));
    return Math.min(Infinity, ...found.filter((b) => b.valid).map((b) => b.distance));
  };
  const nearestOf = (some: number[]) => some.map((psi) => ({ psi, size: away(psi) })).reduce((a, b) => (b.size < a.size ? b : a)).psi;
  let psi = nearestOf(Array.from({ length: 72 }, (_, k) => -Math.PI + (k * Math.PI) / 36));
  for (let step = Math.PI / 36; step > 1e-9; step /= 3) psi = nearestOf([psi, psi - step / 2, psi + step / 2, psi - step, psi + step]);
  return Math.atan2(Math.sin(psi), Math.cos(psi));
}

export const colourOfBranch = (group: number, theme: string) => JOINTS[theme === "dark" ? "dark" : "light"][[0, 2, 1, 4, 3, 5, 6, 7][group % 8]];
