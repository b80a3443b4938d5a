// A simulated run: what is asked of the server, its rows, and the configuration at a time between them.

import * as api from "./api";
import { type FreePose, turnedBetween } from "./free";
import { inLegs } from "./legs";
import { POSE_NAMES, platformPose } from "./platform";
import { keyOf } from "./robot";
import type { Configuration, Run, RunData, Scenario } from "./state/motion";
import { type State, get, set } from "./store";

/** A motion that the page computes itself, while sliders move; that of a platform is computed by the server. */
export const isLive = (s: Scenario, parallel: boolean) => !parallel && s.law === "exact" && s.profile === "quintic";

/** What a motion moves, where it is now: the six numbers of a platform, and the variables but those of legs. */
export function hereOf({ robot, q, platform }: Pick<State, "robot" | "q" | "platform">): Configuration {
  if (!robot?.parallel) return q;
  const free = robot.joints.slice(inLegs(robot)).flatMap((joint) => joint.variable ?? []);
  return { ...named(platform ?? []), ...Object.fromEntries(free.map((name) => [name, q[name] ?? 0])) };
}

export const named = (coordinates: number[]): Configuration => Object.fromEntries(POSE_NAMES.map((name, k) => [name, coordinates[k] ?? 0]));

export const runKey = (scenario: Scenario, start: Configuration, end: Configuration): string => {
  const { robot } = get();
  const numbers = (q: Configuration) => Object.entries(q).map(([name, x]) => [name, x.toFixed(6)]);
  return robot ? JSON.stringify([keyOf(robot), robot.values, { ...scenario, start: null }, numbers(start), numbers(end)]) : "";
};

let serial = 0;

/** Compute a run in a process of the server; the former one stays until it is there. */
export async function simulate(start: Configuration, end: Configuration): Promise<void> {
  const { robot, scenario, run } = get();
  if (!robot) return;
  if (run?.state === "running" && run.job) void api.cancel(run.job.id);
  const mine = (serial += 1);
  const key = runKey(scenario, start, end);
  const change = (more: Partial<Run>) => mine === serial && set((s) => ({ run: { ...(s.run ?? { key, state: "running", job: null, data: null, message: "" }), ...more } }));
  change({ state: "running", job: null, message: "" });
  const { start: _, ...asked } = scenario;
  try {
    const pose = (at: Configuration) => platformPose(robot, POSE_NAMES.map((name) => at[name] ?? 0));
    const poses = robot.parallel ? { poses: [pose(start), pose(end)] } : {};
    const data = await api.play({ robot, start, end, ...poses, ...asked }, (job) => change({ job }));
    change({ state: "done", key, data });
    if (mine === serial) dispatchEvent(new Event("symoro-run"));
  } catch (error) {
    change({ state: "failed", message: (error as Error).message });
  }
}

export function cancelRun(): void {
  const { run } = get();
  serial += 1;
  if (run?.job) void api.cancel(run.job.id);
  if (run) set({ run: { ...run, state: "cancelled", message: "cancelled" } });
}

export const durationOf = (data: RunData) => data.t[data.t.length - 1] || 1e-3;

/** The row before a time, and which part of the way to the next one has gone. */
function place(t: number[], time: number): [number, number] {
  let k = 0;
  while (k < t.length - 2 && t[k + 1] <= time) k += 1;
  if (t.length < 2) return [0, 0];
  return [k, Math.max(0, Math.min(1, (time - t[k]) / (t[k + 1] - t[k])))];
}

interface Instant { q: Configuration; qd: Configuration; qdd: Configuration; free: FreePose | null; twist: State["twist"] }

/** The configuration at a time, its rates from the neighbouring rows, and the pose of a free base or of a platform. */
export function stateAt(data: RunData, time: number): Instant {
  const [k, part] = place(data.t, time);
  const next = Math.min(k + 1, data.t.length - 1);
  const mixed = (rows: number[][]) => rows[k].map((x, i) => x + part * (rows[next][i] - x));
  const rate = (a: number) => {
    const [from, to] = [Math.max(0, a), Math.min(data.t.length - 1, a + 1)];
    return data.names.map((_, i) => (to > from ? (data.q[to][i] - data.q[from][i]) / (data.t[to] - data.t[from]) : 0));
  };
  const [before, now] = [rate(Math.max(0, k - 1)), rate(k)];
  const step = data.t[next] - data.t[k] || 1;
  const byName = (values: number[]) => Object.fromEntries(data.names.map((name, i) => [name, values[i]]));
  return {
    q: byName(mixed(data.q)), qd: byName(now), qdd: byName(now.map((x, i) => (x - before[i]) / step)),
    twist: data.twist && { V: mixed(data.twist), VP: data.twist[k].map((x, i) => (data.twist![next][i] - x) / step) },
    free: data.position && data.quat ? { position: mixed(data.position) as FreePose["position"], quat: turnedBetween(data.quat[k], data.quat[next], part) } : null,
  };
}
