// Models that were asked for, with their equations and code.

import type { CodeData, Entry, Facts, JobStatus, ModelData, Options } from "../api";
import type { Runner } from "../program";
import type { Robot } from "../robot";

export type View = "equations" | "code" | "both" | "values" | "branches";

export interface Result {
  id: number;
  entry: Entry;
  options: Options;
  /** The robot of the data, without numbers: an edit of a value does not make a result older. */
  key: string;
  robot: Robot;
  state: "running" | "done" | "failed" | "cancelled";
  job: JobStatus | null;
  data: ModelData | null;
  dataJob: string;
  runner: Runner | null;
  message: string;
  view: View;
  /** Equations with intermediate variables, or written out. */
  form: "named" | "expanded";
  expanded: ModelData | null;
  target: string;
  code: Record<string, CodeData>;
  codeMessage: string;
  file: string;
  open: Record<number, boolean>;
}

export interface ResultState {
  facts: Facts | null;
  results: Result[];
  shown: number | null;
  beside: number | null;
  /** Results side by side scroll together. */
  together: boolean;
  /** An option of a result that waits for a link, chosen in the view. */
  picking: { result: number; option: string } | null;
}

/** What another robot begins with. */
export const NO_RESULTS = { results: [], shown: null, beside: null, picking: null } satisfies Partial<ResultState>;

export const RESULTS: ResultState = { ...NO_RESULTS, facts: null, together: true };

/** The data whose rows the equations show. */
export const equationsOf = (r: Result): ModelData => (r.form === "expanded" && r.expanded ? r.expanded : r.data!);

export const shownResult = (s: ResultState): Result | null => s.results.find((r) => r.id === s.shown) ?? null;

/** Whether a second result stands beside the shown one. */
export const isBeside = (s: ResultState): boolean => s.shown !== null && s.beside !== s.shown && s.results.some((r) => r.id === s.beside);
