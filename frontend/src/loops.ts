// Keeps closed loops closed: Newton's method on the closure equations that the server gives, motors held.

import { type Program, Runner, solve } from "./program";
import { type Robot, linkCount, numbersOf } from "./robot";

export interface LoopData { closure: Program; slope: Program; start: number[] }

const CLOSED = 1e-10;

export class Closer {
  private closure: Runner;
  private slope: Runner;
  readonly variables: string[];
  readonly passive: string[];

  constructor(readonly data: LoopData, readonly robot: Robot) {
    this.closure = new Runner(data.closure);
    this.slope = new Runner(data.slope);
    const joints = robot.joints.slice(0, linkCount(robot)).filter((joint) => joint.variable);
    this.variables = joints.map((joint) => joint.variable as string);
    this.passive = joints.filter((joint) => !joint.actuated).map((joint) => joint.variable as string);
  }

  get start(): Record<string, number> {
    return Object.fromEntries(this.variables.map((name, k) => [name, this.data.start[k] ?? 0]));
  }

  /** The configuration with these motors nearest to `near`; null where the loops cannot be closed. */
  close(q: Record<string, number>, near: Record<string, number>): Record<string, number> | null {
    // Long ways go in steps, so that the loop stays on its branch.
    const motors = this.variables.filter((name) => !this.passive.includes(name));
    const far = Math.max(0, ...motors.map((name) => Math.abs((q[name] ?? 0) - (near[name] ?? 0))));
    const steps = Math.min(40, Math.max(1, Math.ceil(far / 0.15)));
    let here = { ...near };
    for (let k = 1; k <= steps; k += 1) {
      const wanted = { ...here };
      for (const name of motors) wanted[name] = (near[name] ?? 0) + (k / steps) * ((q[name] ?? 0) - (near[name] ?? 0));
      const found = this.newton(wanted);
      if (!found) return null;
      here = found;
    }
    return { ...q, ...here };
  }

  private newton(q: Record<string, number>): Record<string, number> | null {
    const numbers = numbersOf(this.robot);
    const x = { ...q };
    const given = (s: { name: string; default?: number | null }) => x[s.name] ?? (Number.isNaN(numbers(s.name)) ? (s.default ?? NaN) : numbers(s.name));
    for (let round = 0; round < 30; round += 1) {
      this.closure.run(given);
      const gap = this.closure.output("E");
      if (!gap.every(Number.isFinite)) return null;
      if (Math.max(...gap.map(Math.abs)) < CLOSED) return this.aligned() ? x : null;
      this.slope.run(given);
      const move = this.step(gap, this.slope.output("dE_dq"));
      if (!move) return null;
      this.passive.forEach((name, k) => (x[name] += Math.max(-0.4, Math.min(0.4, move[k]))));
    }
    return null;
  }

  private aligned(): boolean {
    return this.closure.output("ALIGN").every((c) => c > 0);
  }

  /** The shortest move that takes the gap away: (JᵀJ + ε) x = −Jᵀ E. */
  private step(gap: number[], slope: number[]): number[] | null {
    const n = this.variables.length;
    const columns = this.passive.map((name) => this.variables.indexOf(name));
    const J = gap.map((_, i) => columns.map((k) => slope[n * i + k]));
    const size = columns.length;
    const rows = columns.map((_, a) => {
      const row = columns.map((__, b) => J.reduce((s, r) => s + r[a] * r[b], a === b ? 1e-14 : 0));
      return [...row, -J.reduce((s, r, i) => s + r[a] * gap[i], 0)];
    });
    const found = solve(rows);
    return found && found.length === size && found.every(Number.isFinite) ? found : null;
  }
}
