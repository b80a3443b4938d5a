// One symbol or one link, four places: lights what belongs to it. Only classes change; nothing is typeset again.

import { useEffect } from "react";
import type { CodeFile, ModelData } from "./api";
import { symbolsOf, parse } from "./expression";
import { cellText } from "./robot";
import { type State, get, subscribe } from "./store";

/** The symbols that are linked: one, or all of the cell at which one points. */
export function linkedNames(s: State): string[] {
  if (s.linked.symbol) return [s.linked.symbol];
  if (!s.linked.cell || !s.robot) return [];
  return [...symbolsOf(parse(cellText(s.robot, s.linked.cell)))];
}

/** What is linked, as one text: it changes when something else is to be lit. */
export const linkKey = (s: State): string => (s.linked.joint ? `link ${s.linked.joint}` : linkedNames(s).join());

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

const linksByRow = new WeakMap<ModelData, (number | null)[]>();

/** The link to which a row belongs: that of its group, or of what it defines. */
export function linkOfRow(data: ModelData, row: number): number | null {
  let known = linksByRow.get(data);
  if (!known) {
    known = data.rows.map((r) => data.symbols[r.defines[0]]?.link ?? null);
    for (const g of data.groups) if (g.link) known.fill(g.link, g.first, g.first + g.count);
    linksByRow.set(data, known);
  }
  return known[row] ?? null;
}

/** The rows to light, in order; those in groups of a link come before what is computed once for it. */
export function linkedRows(data: ModelData): number[] {
  const { joint } = get().linked;
  if (!joint) return linkedNames(get()).flatMap((name) => rowsOf(data, name));
  const groups = data.groups.filter((g) => g.link === joint);
  const grouped = new Set(groups.flatMap((g) => Array.from({ length: g.count }, (_, k) => g.first + k)));
  return [...grouped, ...data.rows.map((_, row) => row).filter((row) => linkOfRow(data, row) === joint && !grouped.has(row))];
}

/** The link of each line of a file, by the symbol that its statement computes. */
export function linksOfLines(file: CodeFile, data: ModelData): Map<number, number> {
  const links = new Map(data.rows.flatMap((r, row) => r.defines.map((s) => [data.symbols[s].name, linkOfRow(data, row)] as const)));
  const found = Object.entries(file.statements).map(([line, name]) => [Number(line), links.get(name) ?? null] as const);
  return new Map(found.filter((pair): pair is [number, number] => pair[1] !== null));
}

/** The lines to light, in order. */
export function linkedLines(file: CodeFile, links: Map<number, number>): number[] {
  const { joint } = get().linked;
  if (joint) return [...links].filter(([, link]) => link === joint).map(([line]) => line).sort((a, b) => a - b);
  return linkedNames(get()).flatMap((name) => linesOf(file, name));
}

/** Of places one after another, the first of each run: where to go next for a whole link. */
export const firstOfRuns = (places: number[]): number[] => places.filter((at, k) => k === 0 || at !== places[k - 1] + 1);

/** The lines of a file on which a symbol stands, in order. */
export function linesOf(file: CodeFile, name: string): number[] {
  return [...new Set(file.places.filter((p) => p[3] === name).map((p) => p[0]))];
}

/** Light what is in a pane: the linked symbols, or whole rows of the linked link; `data` is the program whose numbers the maths carry. */
export function light(pane: HTMLElement, data: ModelData | null): void {
  pane.querySelectorAll(".lit").forEach((node) => node.classList.remove("lit"));
  const { joint } = get().linked;
  if (joint) pane.querySelectorAll(`[data-link="${joint}"]`).forEach((node) => node.classList.add("lit"));
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

/** Keep what is linked lit in a pane. */
export function useLights(pane: React.RefObject<HTMLElement | null>, data: ModelData | null, shown: unknown): void {
  useEffect(() => {
    let last = "";
    return subscribe(() => {
      const now = linkKey(get());
      if (now === last || !pane.current) return;
      last = now;
      light(pane.current, data);
    });
  }, [shown]);
}

let last = "";
const place = (event: { clientX: number; clientY: number }) => `${event.clientX},${event.clientY}`;
for (const kind of ["pointermove", "pointerdown"] as const) addEventListener(kind, (event) => void (last = place(event)), { capture: true });

/** Whether the pointer itself has moved: what scrolls away under a pointer at rest changes no link. */
export const pointerMoved = (event: { clientX: number; clientY: number }): boolean => place(event) !== last;
