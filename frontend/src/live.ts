// Values of results at the configuration of the page: latest wins, at most one evaluation a frame.

import { givenAt } from "./actions/motion";
import type { Result } from "./state/result";
import { type State, get, subscribe } from "./store";

type Listener = () => void;
const listeners = new Set<Listener>();
let asked = 0;
let last: Partial<State> = {};
const evaluated = new WeakMap<Result, object>();

/** The values of all symbols of a result; null where it has none yet. */
export function valuesOf(result: Result): Float64Array | null {
  if (!result.runner) return null;
  const { q, qd, qdd, free, platform, twist, target, given, robot } = get();
  const numbers = robot ?? result.robot;
  const key = evaluated.get(result) as any;
  if (!key || key.q !== q || key.qd !== qd || key.qdd !== qdd || key.free !== free || key.platform !== platform || key.twist !== twist || key.target !== target || key.given !== given || key.values !== numbers.values) {
    result.runner.run(givenAt({ ...result.robot, values: numbers.values }, q, qd, qdd));
    evaluated.set(result, { q, qd, qdd, free, platform, twist, target, given, values: numbers.values });
  }
  return result.runner.values;
}

/** Be told, once a frame, that configuration or results changed. */
export function onValues(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

subscribe(() => {
  const s = get();
  if ((["q", "qd", "qdd", "free", "platform", "twist", "robot", "results", "target", "given", "shown"] as const).every((name) => last[name] === s[name])) return;
  last = s;
  if (asked) return;
  asked = requestAnimationFrame(() => {
    asked = 0;
    listeners.forEach((listener) => listener());
  });
});

/** Six digits that do not change width; a number that rounding made is 0. */
export function shownNumber(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return "–";
  if (Math.abs(x) < 1e-12) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(2);
  return x.toFixed(size >= 100 ? Math.max(2, digits - 2) : digits);
}
