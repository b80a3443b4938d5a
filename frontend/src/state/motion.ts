// Where the robot stands and how it moves: joints, a free base, a platform, loops, runs, and the pose that is wanted.

import type { JobStatus, NumericBranches } from "../api";
import { type FreePose, AT_REST } from "../free";
import type { Pose } from "../geometry";
import type { Closer } from "../loops";
import type { Coordinates, Platform } from "../platform";
import type { Robot } from "../robot";

export const PROFILES = ["quintic", "cubic", "septic", "bang-bang", "trapezoid"] as const;
export const LAWS = [["exact", "Exact motion"], ["computed_torque", "Computed torque"], ["pd_gravity", "PD with gravity"], ["pid", "PID"]] as const;
export type Law = (typeof LAWS)[number][0];
export type Configuration = Record<string, number>;

export interface Scenario {
  /** Where the motion begins; null: where all variables are 0, where the loops close, or at the home pose of a platform. */
  start: Configuration | null;
  profile: (typeof PROFILES)[number];
  duration: number;
  law: Law;
  frequency: number;
  /** How far from the start each motor begins, in rad or m. */
  offset: number;
}
export interface RunData {
  t: number[];
  names: string[];
  q: number[][];
  motors: { joint: number; label: string; name: string; turns: boolean }[];
  tau: number[][];
  error: number[][];
  position: number[][] | null;
  quat: number[][] | null;
  twist: number[][] | null;
  stopped: string;
}
export interface Run { key: string; state: "running" | "done" | "failed" | "cancelled"; job: JobStatus | null; data: RunData | null; message: string }

export const SCENARIO: Scenario = { start: null, profile: "quintic", duration: 1.2, law: "exact", frequency: 20, offset: 0 };

export interface MotionState {
  q: Record<string, number>;
  qd: Record<string, number>;
  qdd: Record<string, number>;
  /** The pose of a base that is free to move. */
  free: FreePose;
  /** The six numbers of a platform's pose, and what moves the legs with it. */
  platform: Coordinates | null;
  mover: Platform | null;
  /** Velocity and acceleration [v; ω] of a platform in a run; null at rest. */
  twist: { V: number[]; VP: number[] } | null;
  closer: Closer | null;
  loopMessage: string;
  scenario: Scenario;
  run: Run | null;
  target: Pose | null;
  /** What an arm with more than six joints is given beside the target: positions of joints, or the arm angle. */
  given: number[];
  branch: number | null;
  /** Branches by numbers for a target, where the arm has no closed form. */
  numeric: { target: Pose; given: number[]; values: Robot["values"]; found: NumericBranches | null; message: string } | null;
}

/** What another robot begins with. */
export const STILL = { free: AT_REST, platform: null, mover: null, twist: null, closer: null, loopMessage: "", run: null, target: null, given: [], branch: null, numeric: null } satisfies Partial<MotionState>;

export const MOTION: MotionState = { ...STILL, q: {}, qd: {}, qdd: {}, scenario: SCENARIO };
