// Requests to the server. Nothing else is ever asked: the page works without a network.

import type { LoopData } from "./loops";
import type { PlatformData } from "./platform";
import type { Program } from "./program";
import { type Robot, keyOf } from "./robot";
import type { Result } from "./state/result";
import type { State } from "./store";
import { say } from "./words";
import type { RunData, Scenario } from "./state/motion";
import { get } from "./store";

export interface Option {
  name: string;
  kind: "choice" | "frame" | "flag" | "configuration" | "branches" | "given" | "text";
  help: Record<"en" | "fr", string>;
  choices?: (string | null)[];
  default: unknown;
  required: boolean;
}
export interface Entry {
  name: string;
  title: string;
  menu: string;
  citation: string;
  aliases: string[];
  inputs: string[];
  outputs: string[];
  options: Option[];
}
export interface Facts { catalogue: Entry[]; platforms: Entry[]; targets: Record<string, string>; suffixes: string[]; version: string }
/** What a link looks like: its pose in a named frame, three rows of four. */
export interface Visual { frame: string; kind: string; sizes: number[]; pose: number[]; colour: number[] | null; mesh: string }
/** `brief` is the message without what is `allowed`; `wrong` says it without its place, too; `column` is that of a text that cannot be read; `missing`: a value is missing there. */
export interface Problem { message: string; brief: string; wrong: string; allowed: string; column: number | null; missing: boolean; repair: string | null; severity: "error" | "warning" | "note"; joint: number | null; path: string }
export interface Checked { problems: Problem[]; models: Record<string, string | null> | null }
export interface Step {
  number: number;
  unknowns: string[];
  type: string;
  source: string;
  equation: string;
  solution: string;
  degenerate: string;
  branches: number;
  coefficients: Record<string, string>;
}
/** A joint that is given, or the arm angle (without a joint). */
export interface Given { joint: number | null; name: string }
export interface Inverse { given: Given[]; needed: number; arm_angle: boolean; numeric?: boolean; joints: number[]; branches: number; task: string; separated_by: string[]; goal: Record<string, string>; steps: Step[] }
export interface ModelData extends Program {
  name: string;
  title: string;
  citation: string;
  options: Record<string, unknown>;
  formulation: string;
  published: { source: string; mul: number | null; add: number | null; total: number }[];
  inverse?: Inverse;
}
export interface CodeFile {
  name: string;
  text: string;
  statements: Record<string, string>;
  places: [number, number, number, string][];
}
export interface CodeData { target: string; files: CodeFile[] }
export interface StructureData {
  triples: { joints: [number, number, number]; what: "point" | "parallel" | "prismatic" }[];
  base: { count: number; standard: number } | null;
  relations: Record<string, string>;
  reason?: string;
  mobility?: string;
  problems?: string[];
}
export interface JobStatus {
  id: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  stages: { at: number; text: string }[];
  elapsed: number;
  message: string;
  problems: Problem[];
}
export type Options = Record<string, string | number | boolean | null>;

export class RequestError extends Error {
  constructor(message: string, readonly problems: Problem[] = []) {
    super(message);
  }
}

const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? sessionStorage.getItem("token") ?? "";
if (token) sessionStorage.setItem("token", token);

async function ask(path: string, body?: unknown, method = body === undefined ? "GET" : "POST", signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { "accept-language": get().language, ...(token ? { "x-symoro-token": token } : {}) };
  if (body !== undefined) headers["content-type"] = "application/json";
  let answer: Response;
  try {
    answer = await fetch(`api/${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestError(say("The server does not answer. Start it again with: symoro gui"));
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new RequestError(said.message ?? said.detail ?? answer.statusText, said.problems ?? []);
}

export const facts = async (): Promise<Facts> => (await ask("facts")).json();
export const library = async (): Promise<{ structure: string; robot: Robot }[]> => (await ask("library")).json();
export const check = async (robot: Robot, signal: AbortSignal): Promise<Checked> => (await ask("check", { robot }, "POST", signal)).json();
export const readFile = async (name: string, text: string): Promise<{ robot: Robot; visuals: Visual[]; problems: Problem[] }> =>
  (await ask("read", { name, text })).json();
export const writeFile = async (robot: Robot, suffix: string): Promise<Blob> => (await ask("write", { robot, suffix })).blob();
export const zip = async (robot: Robot, model: string, options: Options, target: string, job: string): Promise<Blob> =>
  (await ask("zip", { robot, model, options, target, job })).blob();
export interface NumericBranches { q: number[][]; status: string; distance: number }
export const branches = async (robot: Robot, pose: number[], given: Record<number, number>, signal: AbortSignal): Promise<NumericBranches> =>
  (await ask("branches", { robot, pose, given }, "POST", signal)).json();
/** A report of the work as a file, in the language of the page. */
export const report = async (robot: Robot, results: Result[], state: Pick<State, "q" | "qd" | "qdd" | "language">, kind: string): Promise<Blob> =>
  (await ask("report", { robot, kind, ...state, models: results.map((r) => ({ model: r.entry.name, options: r.options, job: r.key === keyOf(robot) ? r.dataJob : "" })) })).blob();
export const cancel = (id: string) => ask(`jobs/${id}`, undefined, "DELETE").catch(() => undefined);

/** Start a job and follow it to its end; `tell` hears how it stands. */
async function job<Data>(task: string, body: unknown, tell: (status: JobStatus) => void): Promise<Data> {
  let status: JobStatus = await (await ask(`jobs/${task}`, body)).json();
  tell(status);
  while (status.state === "waiting" || status.state === "running") {
    status = await (await ask(`jobs/${status.id}?stages=${status.stages.length}`)).json();
    tell(status);
  }
  if (status.state !== "done") throw new RequestError(status.message, status.problems);
  return (await ask(`jobs/${status.id}/result`)).json();
}

const quiet = () => undefined;
export const model = (robot: Robot, name: string, options: Options, after: string, tell: (s: JobStatus) => void) =>
  job<ModelData>("model", { robot, model: name, options, job: after }, tell);
export const code = (robot: Robot, name: string, options: Options, target: string, after: string) =>
  job<CodeData>("code", { robot, model: name, options, target, job: after }, quiet);
export const expanded = (robot: Robot, name: string, options: Options, after: string) =>
  job<Pick<ModelData, "rows" | "groups">>("expanded", { robot, model: name, options, job: after }, quiet);
export const structure = (robot: Robot) => job<StructureData>("structure", { robot }, quiet);
export const play = (asked: Omit<Scenario, "start"> & { robot: Robot; start: Record<string, number>; end: Record<string, number>; poses?: number[][] }, tell: (s: JobStatus) => void) =>
  job<RunData>("play", asked, tell);
export const platform = (robot: Robot) => job<PlatformData>("platform", { robot }, quiet);
export const loops = (robot: Robot) => job<LoopData>("loops", { robot }, quiet);

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
