// Runs programs of the server: straight-line code, as data. The meaning is that of symoro's `ir/evaluate.py`.

export type Operand = [number] | [number, number];
export interface Sym {
  name: string;
  kind: "input" | "parameter" | "constant" | "variable" | "output";
  text?: string;
  unit?: string;
  link?: number;
  equation?: string;
  default?: number | null;
}
/** `size` is there in rows that are too long to write out: their number of operations. */
export interface Row { defines: number[]; tex: string; text: string; reads: number[]; size?: string }
export interface Group {
  kind: "setup" | "angles" | "prepare" | "link" | "results" | "large" | "other";
  link: number | null;
  way: "" | "outward" | "inward";
  first: number;
  count: number;
  equations: string;
  ops: Ops | null;
}
export type Ops = Record<"mul" | "add" | "div" | "sqrt" | "trig" | "other", number>;
export interface Program {
  symbols: Sym[];
  inputs: { name: string; shape: number[]; optional: boolean; symbols: number[] }[];
  parameters: number[];
  outputs: { name: string; shape: number[]; names: string[]; elements: Operand[]; units: string[] }[];
  setup: number;
  instructions: [string, number[], Operand[]][];
  rows: Row[];
  groups: Group[];
  ops: Ops;
  setup_ops: Ops;
  call: string;
}

type Step = (v: Float64Array) => void;

const UNARY: Record<string, (a: number) => number> = {
  sqrt: Math.sqrt, sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, exp: Math.exp,
  abs: Math.abs, sign: Math.sign,
};
const BINARY: Record<string, (a: number, b: number) => number> = {
  div: (a, b) => a / b, atan2: Math.atan2, min: Math.min, max: Math.max,
  less: (a, b) => (a < b ? 1 : 0), less_equal: (a, b) => (a <= b ? 1 : 0), equal: (a, b) => (a === b ? 1 : 0),
};

/** A program made ready: `run` fills the values of all symbols. */
export class Runner {
  readonly values: Float64Array;
  private steps: Step[];
  private constants: [number, number][] = [];

  constructor(readonly program: Program) {
    this.values = new Float64Array(program.symbols.length + 4 * program.instructions.length + 8);
    let next = program.symbols.length;
    const place = (operand: Operand): [number, number] => {
      if (operand.length === 2) return operand;
      this.constants.push([next, operand[0]]);
      next += 1;
      return [next - 1, 1];
    };
    this.steps = program.instructions.map(([op, results, args]) => step(op, results, args.map(place)));
    if (next > this.values.length) this.values = new Float64Array(next);
  }

  /** `given` is the number of an input or a parameter; NaN where it has none. */
  run(given: (symbol: Sym, array: string, place: number) => number): Float64Array {
    const v = this.values;
    for (const [at, value] of this.constants) v[at] = value;
    for (const array of this.program.inputs)
      array.symbols.forEach((s, k) => (v[s] = given(this.program.symbols[s], array.name, k)));
    for (const s of this.program.parameters) v[s] = given(this.program.symbols[s], "", 0);
    for (const each of this.steps) each(v);
    this.program.outputs.forEach((output) =>
      output.elements.forEach((e, k) => {
        const s = this.outputSymbol(output.names[k]);
        if (s !== undefined) v[s] = e.length === 2 ? e[1] * v[e[0]] : e[0];
      }),
    );
    return v;
  }

  output(name: string): number[] {
    const output = this.program.outputs.find((o) => o.name === name);
    if (!output) return [];
    return output.elements.map((e) => (e.length === 2 ? e[1] * this.values[e[0]] : e[0]));
  }

  private byName: Map<string, number> | null = null;

  private outputSymbol(name: string): number | undefined {
    this.byName ??= new Map(this.program.symbols.map((s, k) => [s.name, k]));
    return this.byName.get(name);
  }
}

function step(op: string, results: number[], args: [number, number][]): Step {
  const to = results[0];
  const [[a, sa], [b, sb] = [0, 1], [c, sc] = [0, 1]] = args;
  if (op === "add") return (v) => void (v[to] = sa * v[a] + sb * v[b]);
  if (op === "mul") {
    const sign = sa * sb;
    return (v) => void (v[to] = sign * v[a] * v[b]);
  }
  if (op === "select") return (v) => void (v[to] = v[a] !== 0 ? sb * v[b] : sc * v[c]);
  if (op === "solve") return (v) => solveInto(v, results, args);
  const one = UNARY[op];
  if (one) return (v) => void (v[to] = one(sa * v[a]));
  const two = BINARY[op];
  return (v) => void (v[to] = two(sa * v[a], sb * v[b]));
}

function solveInto(v: Float64Array, results: number[], args: [number, number][]): void {
  const n = results.length;
  const numbers = args.map(([s, sign]) => sign * v[s]);
  const rows = results.map((_, i) => [...numbers.slice(n * i, n * i + n), numbers[n * n + i]]);
  const x = solve(rows);
  results.forEach((s, i) => (v[s] = x ? x[i] : NaN));
}

/** The solution of rows [A b] by elimination with pivots; null where A is singular. */
export function solve(rows: number[][]): number[] | null {
  const n = rows.length;
  for (let i = 0; i < n; i += 1) {
    let pivot = i;
    for (let k = i + 1; k < n; k += 1) if (Math.abs(rows[k][i]) > Math.abs(rows[pivot][i])) pivot = k;
    if (!(Math.abs(rows[pivot][i]) > 0)) return null;
    [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
    for (let k = i + 1; k < n; k += 1) {
      const factor = rows[k][i] / rows[i][i];
      for (let m = i; m <= n; m += 1) rows[k][m] -= factor * rows[i][m];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i -= 1) {
    let sum = rows[i][n];
    for (let k = i + 1; k < n; k += 1) sum -= rows[i][k] * x[k];
    x[i] = sum / rows[i][i];
  }
  return x;
}
