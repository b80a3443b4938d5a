// Models of the robot: ask for them, show them, write them as code.

import * as api from "../api";
import { givenNow } from "../branches";
import { tips } from "../geometry";
import { Runner } from "../program";
import { type Robot, keyOf } from "../robot";
import { type Result, type View, shownResult } from "../state/result";
import { get, set } from "../store";
import { setTargetFromJoints } from "./motion";

let serial = 0;

function update(id: number, change: Partial<Result>): void {
  set((s) => ({ results: s.results.map((r) => (r.id === id ? { ...r, ...change } : r)) }));
}

/** Ask again for what the server said in another language: titles, and the results that are not older than the robot. */
export async function askResultsAgain(): Promise<void> {
  const facts = await api.facts();
  set((s) => ({ facts, results: s.results.map((r) => ({ ...r, entry: catalogueOf(facts, r.robot).find((e) => e.name === r.entry.name) ?? r.entry })) }));
  const { robot, results } = get();
  for (const result of results) if (robot && result.key === keyOf(robot)) void compute(result.id, result.dataJob);
}

/** The models of a robot's kind. */
export const catalogueOf = (facts: api.Facts | null, robot: Robot | null): api.Entry[] => (robot?.parallel ? facts?.platforms : facts?.catalogue) ?? [];

export function openModel(name: string, options: api.Options = {}, beside = false, more: Partial<Result> = {}): void {
  const { facts, robot, results } = get();
  const entry = catalogueOf(facts, robot).find((e) => e.name === name);
  if (!entry || !robot) return;
  set({ menu: null, palette: false, place: "result" });
  const known = results.find((r) => r.entry.name === name && !Object.keys(options).length);
  const twice = beside && known?.id === get().shown; // the same model beside itself: with other options, or in another language
  if (known && !twice) return set(beside ? { beside: known.id } : { shown: known.id });
  serial += 1;
  const inverse = name === "inverse_geometry" && !robot.parallel;
  const chosen = { ...defaults(entry, robot), ...options };
  const result: Result = {
    id: serial, entry, options: chosen, key: "", robot, state: "running", job: null, data: null, dataJob: "", runner: null,
    message: "", view: inverse ? "branches" : window.innerWidth >= 1400 ? "both" : "equations", form: "named", expanded: null, target: lastTarget(), code: {},
    codeMessage: "", file: "", open: {}, ...more,
  };
  set((s) => ({ results: [...s.results, result], ...(beside && s.shown !== null ? { beside: result.id } : { shown: result.id }) }));
  if (inverse) setTargetFromJoints();
  void compute(result.id);
}

function lastTarget(): string {
  return get().results[get().results.length - 1]?.target ?? "c";
}

/** Options that must be given, and those that most people want: base parameters, and the tip as link. */
function defaults(entry: api.Entry, robot: Robot): api.Options {
  const tip = tips(robot).pop() ?? robot.joints.length;
  const chosen: api.Options = {};
  for (const option of entry.options) {
    if (option.name === "params" && entry.menu === "Dynamic") chosen.params = "base";
    if (option.required) chosen[option.name] = option.name === "i" ? 0 : tip;
  }
  return chosen;
}

/** Compute a result; `after` is the job that has it already, where only its texts are wanted in another language. */
export async function compute(id: number, after = ""): Promise<void> {
  const { robot, results } = get();
  const result = results.find((r) => r.id === id);
  if (!robot || !result) return;
  if (result.state === "running" && result.job) void api.cancel(result.job.id);
  const mine = {};
  running.set(id, mine);
  update(id, { state: "running", job: null, message: "" });
  try {
    const data = await api.model(robot, result.entry.name, result.options, after, (job) => running.get(id) === mine && update(id, { job }));
    if (running.get(id) !== mine) return;
    const job = get().results.find((r) => r.id === id)?.job?.id ?? "";
    update(id, { state: "done", data, dataJob: job, runner: new Runner(data), key: keyOf(robot), robot, code: {}, open: {}, expanded: null });
    if (data.inverse) set({ numeric: null, given: givenNow(get().results.find((r) => r.id === id)!) });
    if (result.form === "expanded") void loadExpanded(id);
    if (wantsCode(id)) void loadCode(id);
  } catch (error) {
    if (running.get(id) !== mine) return;
    const state = get().results.find((r) => r.id === id)?.job?.state === "cancelled" ? "cancelled" : "failed";
    update(id, { state, message: (error as Error).message });
  }
}

const running = new Map<number, object>();

export function cancelJob(id: number): void {
  const result = get().results.find((r) => r.id === id);
  if (!result?.job || result.state !== "running") return;
  running.delete(id);
  void api.cancel(result.job.id);
  update(id, { state: "cancelled", message: "cancelled" });
}

const wantsCode = (id: number) => ["code", "both"].includes(get().results.find((r) => r.id === id)?.view ?? "");

export async function loadCode(id: number): Promise<void> {
  const result = get().results.find((r) => r.id === id);
  if (!result?.data || result.code[result.target]) return;
  const { target } = result;
  update(id, { codeMessage: "" });
  try {
    const code = await api.code(result.robot, result.entry.name, result.options, target, result.dataJob);
    const now = get().results.find((r) => r.id === id);
    if (now?.data === result.data) update(id, { code: { ...now.code, [target]: code } });
  } catch (error) {
    update(id, { codeMessage: (error as Error).message });
  }
}

/** Equations with intermediate variables, or written out. */
export function showForm(id: number, form: Result["form"]): void {
  update(id, { form, open: {} });
  if (form === "expanded") void loadExpanded(id);
}

async function loadExpanded(id: number): Promise<void> {
  const result = get().results.find((r) => r.id === id);
  if (!result?.data || result.expanded) return;
  const { data } = result;
  try {
    const { rows, groups } = await api.expanded(result.robot, result.entry.name, result.options, result.dataJob);
    const now = get().results.find((r) => r.id === id);
    if (now?.data === data) update(id, { expanded: { ...data, rows, groups }, codeMessage: "" });
  } catch (error) {
    update(id, { form: "named", codeMessage: (error as Error).message });
  }
}

export function showAs(id: number, view: View): void {
  update(id, { view });
  if (wantsCode(id)) void loadCode(id);
}

export function chooseTarget(id: number, target: string): void {
  update(id, { target });
  void loadCode(id);
}

export function chooseFileOf(id: number, file: string): void {
  update(id, { file });
}

export function setOption(id: number, name: string, value: string | number | boolean | null): void {
  const result = get().results.find((r) => r.id === id);
  if (!result) return;
  update(id, { options: { ...result.options, [name]: value } });
  void compute(id);
}

export function toggleGroup(id: number, group: number, now: boolean): void {
  const result = get().results.find((r) => r.id === id);
  if (result) update(id, { open: { ...result.open, [group]: !now } });
}

export function closeResult(id: number): void {
  cancelJob(id);
  const left = get().results.filter((r) => r.id !== id);
  const { shown, beside } = get();
  set({ results: left, shown: shown === id ? (left[left.length - 1]?.id ?? null) : shown, beside: beside === id ? null : beside });
}

export async function downloadZip(id: number): Promise<void> {
  const result = get().results.find((r) => r.id === id);
  if (!result?.data) return;
  try {
    const blob = await api.zip(result.robot, result.entry.name, result.options, result.target, result.dataJob);
    api.save(blob, `${result.robot.name}_${result.entry.name}_${result.target}.zip`);
  } catch (error) {
    update(id, { codeMessage: (error as Error).message });
  }
}

export const current = () => shownResult(get());
