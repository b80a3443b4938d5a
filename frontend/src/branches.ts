// The branches of inverse geometry, from the program of all of them: evaluated here, so that they follow the target.

import { valuesOf } from "./live";
import { type Result, get } from "./store";
import { JOINTS } from "./theme";

export interface Branch { number: number; q: Record<string, number>; valid: boolean; error: number; distance: number; group: number }

const near = (x: number) => Math.atan2(Math.sin(x), Math.cos(x));

export function branchesOf(result: Result): Branch[] {
  const inverse = result.data?.inverse;
  if (!inverse || !result.runner) return [];
  const numeric = inverse.numeric ? (get().numeric?.found ?? null) : null;
  if (inverse.numeric ? !numeric : !valuesOf(result)) return [];
  const all = numeric ? numeric.q.flat() : result.runner.output("q");
  const valid = numeric ? numeric.q.map(() => 1) : result.runner.output("valid");
  const error = numeric ? numeric.q.map(() => numeric.distance) : result.runner.output("error");
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

export const colourOfBranch = (group: number, theme: string) => JOINTS[theme === "dark" ? "dark" : "light"][[0, 2, 1, 4, 3, 5, 6, 7][group % 8]];
