// One symbol, four places: lights what belongs to the linked symbol. Only classes change; nothing is typeset again.

import type { CodeFile, ModelData } from "./api";
import { symbolsOf, parse } from "./expression";
import { cellText } from "./robot";
import { type State, get } from "./store";

/** The symbols that are linked: one, or all of the cell at which one points. */
export function linkedNames(s: State): string[] {
  if (s.linked.symbol) return [s.linked.symbol];
  if (!s.linked.cell || !s.robot) return [];
  return [...symbolsOf(parse(cellText(s.robot, s.linked.cell)))];
}

const numbersByName = new WeakMap<ModelData, Map<string, number>>();

export function numberOf(data: ModelData, name: string): number | undefined {
  let known = numbersByName.get(data);
  if (!known) numbersByName.set(data, (known = new Map(data.symbols.map((s, k) => [s.name, k]))));
  return known.get(name);
}

const rowsBySymbol = new WeakMap<ModelData, Map<number, number[]>>();

/** The rows that define or read a symbol, in order. */
export function rowsOf(data: ModelData, name: string): number[] {
  let known = rowsBySymbol.get(data);
  if (!known) {
    known = new Map();
    data.rows.forEach((row, k) => new Set([...row.defines, ...row.reads]).forEach((s) => known!.set(s, [...(known!.get(s) ?? []), k])));
    rowsBySymbol.set(data, known);
  }
  const number = numberOf(data, name);
  return number === undefined ? [] : (known.get(number) ?? []);
}

/** The lines of a file on which a symbol stands, in order. */
export function linesOf(file: CodeFile, name: string): number[] {
  return [...new Set(file.places.filter((p) => p[3] === name).map((p) => p[0]))];
}

/** Light what is in a pane; `names` are the linked symbols, `data` the program whose numbers the maths carry. */
export function light(pane: HTMLElement, data: ModelData | null): void {
  pane.querySelectorAll(".lit").forEach((node) => node.classList.remove("lit"));
  for (const name of linkedNames(get())) {
    const number = data ? numberOf(data, name) : undefined;
    const marks = [
      ...(number === undefined ? [] : pane.querySelectorAll(`[data-s="${number}"]`)),
      ...pane.querySelectorAll(`[data-name="${CSS.escape(name)}"]`),
    ];
    for (const mark of marks) {
      mark.classList.add("lit");
      mark.closest(".row, .code-line")?.classList.add("lit");
    }
  }
}

let last = "";
const place = (event: { clientX: number; clientY: number }) => `${event.clientX},${event.clientY}`;
for (const kind of ["pointermove", "pointerdown"] as const) addEventListener(kind, (event) => void (last = place(event)), { capture: true });

/** Whether the pointer itself has moved: what scrolls away under a pointer at rest changes no link. */
export const pointerMoved = (event: { clientX: number; clientY: number }): boolean => place(event) !== last;
