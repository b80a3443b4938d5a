// The equations of a result in groups. A row is typeset when it scrolls into view, and its value follows the sliders.

import { memo, useCallback, useEffect, useRef, useState } from "react";
import * as resultActions from "./actions/result";
import * as viewActions from "./actions/view";
import type { ModelData } from "./api";
import { Icon } from "./icons";
import { goToRow } from "./keyboard";
import { light, linkKey, linkOfRow, linkedNames, linkedRows, pointerMoved, rowsOf, useLights } from "./lights";
import { onValues, shownNumber, valuesOf } from "./live";
import { ready, writeMaths } from "./maths";
import { jump } from "./places";
import type { Group } from "./program";
import { type Result, equationsOf } from "./state/result";
import { get, set, useStore } from "./store";
import { jointColour } from "./theme";
import { type Marks, together } from "./together";
import { useWords } from "./words";

const BLOCK = 60;
const FOLDED = new Set(["setup", "angles", "prepare"]);
const TITLES: Record<string, string> = {
  setup: "Computed once from the parameters", angles: "Sines and cosines", prepare: "Links in the frames of evaluation", results: "Results", large: "Too long to write out", other: "Other lines",
};

export function Equations({ result }: { result: Result }) {
  const say = useWords();
  const data = equationsOf(result);
  const pane = useRef<HTMLDivElement>(null);
  const find = useStore((s) => s.find.trim());
  const typeset = useTypesetting(pane, result);
  const waits = result.form === "expanded" && !result.expanded;
  useLights(pane, data, data);
  useEffect(() => pane.current ? together(result.id, "equations", pane.current, () => marksOf(pane.current!, data)) : undefined, [data, result.id]);
  const point = (event: React.PointerEvent) => {
    if (!pointerMoved(event)) return;
    const mark = (event.target as Element).closest<HTMLElement>("[data-s]");
    if (mark) return viewActions.link(data.symbols[Number(mark.dataset.s)].name);
    const whole = (event.target as Element).closest(".group-head, .row-number")?.closest<HTMLElement>("[data-link]");
    viewActions.link(null, null, Number(whole?.dataset.link ?? 0) || null);
  };
  const keys = (event: React.KeyboardEvent) => {
    if (event.target !== pane.current || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") event.preventDefault(), stepRow(pane.current!, data, event.key === "ArrowDown" ? 1 : -1);
  };
  const leave = () => (pane.current?.querySelector(".chosen")?.classList.remove("chosen"), viewActions.link(null));
  const press = (event: React.MouseEvent) => {
    const mark = (event.target as Element).closest<HTMLElement>("[data-s]");
    if (!mark) return;
    const symbol = Number(mark.dataset.s);
    const row = data.rows.findIndex((r) => r.defines.includes(symbol));
    if (row >= 0) jump(result.id, () => goToRow(result.id, row));
    else set({ find: data.symbols[symbol].name });
  };
  return (
    <div className="pane">
      <div ref={pane} className={`equations scroll ${result.form}`} tabIndex={0} role="region" aria-label={say("Equations")} onPointerOver={point} onPointerLeave={(e) => pointerMoved(e) && viewActions.link(null)} onClick={press} onKeyDown={keys} onBlur={leave}>
        {waits && <p className="quiet pad" role="status">…</p>}
        {!waits && data.groups.map((group, k) => <GroupRows key={`${result.form}-${k}-${data.rows.length}`} result={result} group={group} index={k} find={find} typeset={typeset} />)}
      </div>
      <SymbolCard result={result} />
      <Elsewhere places={() => linkedRows(data)} pane={pane} word={say("equations")} go={(row) => goToRow(result.id, row)} />
    </div>
  );
}

/** The next row, by the keys: what it defines is linked. */
function stepRow(pane: HTMLElement, data: ModelData, by: 1 | -1): void {
  const rows = [...pane.querySelectorAll<HTMLElement>(".row")];
  const top = pane.getBoundingClientRect().top + 28;
  const at = rows.findIndex((row) => row.classList.contains("chosen"));
  const next = rows[at < 0 ? rows.findIndex((row) => row.getBoundingClientRect().top >= top) : Math.max(0, Math.min(rows.length - 1, at + by))];
  if (!next) return;
  rows[at]?.classList.remove("chosen");
  next.classList.add("chosen");
  next.scrollIntoView({ block: "nearest" });
  viewActions.link(data.symbols[data.rows[Number(next.dataset.row)].defines[0]].name);
}

/** Where rows and groups stand in a pane, by what they define: results side by side have these in common. Shared sub-expressions are only numbered. */
function marksOf(pane: HTMLElement, data: ModelData): Marks {
  const marks: Marks = new Map();
  const begin = pane.getBoundingClientRect().top - pane.scrollTop;
  const top = (node: HTMLElement) => node.getBoundingClientRect().top - begin;
  pane.querySelectorAll<HTMLElement>(".group").forEach((node) => marks.set(`group ${node.dataset.group}`, top(node)));
  pane.querySelectorAll<HTMLElement>(".row").forEach((node) => {
    const symbol = data.symbols[data.rows[Number(node.dataset.row)].defines[0]];
    if (symbol.text) marks.set(symbol.name, top(node));
  });
  return marks;
}

/** An observer that typesets rows as they come into view, and writes their values while they are. */
function useTypesetting(pane: React.RefObject<HTMLDivElement | null>, result: Result) {
  const visible = useRef(new Set<HTMLElement>());
  const observer = useRef<IntersectionObserver | null>(null);
  const current = useRef(result);
  current.current = result;
  useEffect(() => {
    const show = (row: HTMLElement) => {
      const data = equationsOf(current.current);
      const maths = row.querySelector<HTMLElement>(".equation")!;
      const tex = data.rows[Number(row.dataset.row)]?.tex;
      if (!tex || maths.dataset.done === tex) return;
      if (writeMaths(maths, tex)) {
        maths.dataset.done = tex;
        if (linkKey(get())) light(pane.current!, data);
      }
    };
    const values = () => {
      const numbers = valuesOf(current.current);
      const data = equationsOf(current.current);
      if (numbers) for (const row of visible.current) {
        const symbol = data.rows[Number(row.dataset.row)]?.defines[0];
        const text = symbol === undefined ? "" : shownNumber(numbers[symbol]);
        const node = row.lastElementChild!;
        if (node.textContent !== text) node.textContent = text;
      }
    };
    observer.current = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const row = entry.target as HTMLElement;
        if (entry.isIntersecting) visible.current.add(row), show(row);
        else visible.current.delete(row);
      }
      values();
    }, { root: pane.current, rootMargin: "300px 0px" });
    void ready.then(() => visible.current.forEach(show));
    pane.current?.querySelectorAll<HTMLElement>(".row").forEach((row) => observer.current!.observe(row));
    const stop = onValues(values);
    return () => {
      stop();
      observer.current?.disconnect();
      visible.current.clear();
    };
  }, [equationsOf(result)]);
  return useCallback((row: HTMLElement | null) => {
    if (row) observer.current?.observe(row);
  }, []);
}

const GroupRows = memo(function GroupRows({ result, group, index, find, typeset }: { result: Result; group: Group; index: number; find: string; typeset: (row: HTMLElement | null) => void }) {
  const say = useWords();
  const data = equationsOf(result);
  const rows = Array.from({ length: group.count }, (_, k) => group.first + k).filter((row) => !find || matches(data, row, find));
  const open = find ? rows.length > 0 : (result.open[index] ?? !FOLDED.has(group.kind));
  if (find && !rows.length) return null;
  const title = group.kind === "link" ? `${say(group.way === "inward" ? "Inward" : "Outward")} · ${say("link")} ${group.link}` : say(TITLES[group.kind] ?? TITLES.other);
  const colour = group.link ? jointColour(group.link) : "var(--line-strong)";
  const notes = [group.kind === "setup" && group.ops ? `${group.count} ${say("lines")} · ${group.ops.mul} mul, ${group.ops.add} add` : FOLDED.has(group.kind) ? `${group.count} ${say("lines")}` : group.kind === "large" ? say("use intermediate variables for them") : group.equations];
  return (
    <div className="group" data-link={group.link ?? undefined} data-group={`${group.kind} ${group.way} ${group.link ?? ""}`} style={{ "--joint": colour } as React.CSSProperties}>
      <button type="button" className="group-head" aria-expanded={open} onClick={() => resultActions.toggleGroup(result.id, index, open)} onFocus={() => group.link && viewActions.link(null, null, group.link)}>
        {group.kind === "link" ? <i className="square" style={{ background: colour }} /> : <span className={open ? "chevron open" : "chevron"}><Icon name="right" /></span>}
        <span className="group-title">{title}</span><span className="gap" /><span className="quiet">{notes[0]}</span>
      </button>
      {open && Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, b) => <Block key={b} data={data} rows={rows.slice(b * BLOCK, (b + 1) * BLOCK)} typeset={typeset} first={b === 0} />)}
    </div>
  );
});

const matches = (data: ModelData, row: number, find: string): boolean => {
  const wanted = find.toLowerCase();
  const { defines, reads } = data.rows[row];
  return [...defines, ...reads].some((s) => data.symbols[s].name.toLowerCase().startsWith(wanted));
};

/** Rows in blocks: those far below are made when one scrolls near. */
const Block = memo(function Block({ data, rows, typeset, first }: { data: ModelData; rows: number[]; typeset: (row: HTMLElement | null) => void; first: boolean }) {
  const say = useWords();
  const [near, setNear] = useState(first && rows[0] < 400);
  const node = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (near) return;
    const observer = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && setNear(true), { rootMargin: "600px 0px" });
    observer.observe(node.current!);
    return () => observer.disconnect();
  }, [near]);
  if (!near) return <div ref={node} style={{ height: rows.length * 30 }} />;
  return (
    <>
      {rows.map((row) => (
        <div key={row} className="row" data-row={row} data-link={linkOfRow(data, row) ?? undefined} ref={typeset} role="img" aria-label={data.rows[row].text}>
          <span className="row-number">{row + 1}</span><span className="equation" aria-hidden="true" />
          {data.rows[row].size && <span className="quiet too-long">{data.rows[row].size} {say("operations")}</span>}<span className="row-value digits" aria-hidden="true" />
        </div>
      ))}
    </>
  );
});

/** What a symbol of an equation is: meaning, unit, value and where it comes from. */
function SymbolCard({ result }: { result: Result }) {
  const say = useWords();
  const name = useStore((s) => (s.projector ? (linkedNames(s)[0] ?? null) : s.linked.cell ? null : s.linked.symbol));
  const data = equationsOf(result);
  const number = data.symbols.findIndex((s) => s.name === name);
  if (!name || number < 0) return null;
  const symbol = data.symbols[number];
  const values = valuesOf(result);
  return (
    <div className="symbol-card" role="status">
      <b>{symbol.name}</b>{values && <span className="digits">{shownNumber(values[number])} {symbol.unit}</span>}
      <span className="quiet">{symbol.text ?? (symbol.kind === "variable" ? say("shared sub-expression") : "")}{symbol.link && !symbol.text ? `, ${say("link")} ${symbol.link}` : ""}{symbol.equation ? ` · ${symbol.equation}` : ""} · {rowsOf(data, name).length} {say("equations")}</span>
    </div>
  );
}

/** Where no lit row is in sight: how many there are, and the way to them. */
export function Elsewhere({ places, pane, word, go }: { places: () => number[]; pane: React.RefObject<HTMLElement | null>; word: string; go: (row: number) => void }) {
  const linked = useStore(linkKey);
  const [seen, setSeen] = useState(true);
  useEffect(() => {
    const node = pane.current;
    if (!linked || !node) return setSeen(true);
    const look = () => {
      const box = node.getBoundingClientRect();
      setSeen([...node.querySelectorAll(".row.lit, .code-line.lit")].some((row) => {
        const at = row.getBoundingClientRect();
        return at.bottom > box.top && at.top < box.bottom;
      }));
    };
    look();
    const later = () => setTimeout(look, 60);
    node.addEventListener("scroll", later);
    return () => node.removeEventListener("scroll", later);
  }, [linked]);
  const rows = linked && !seen ? places() : [];
  if (!rows.length) return null;
  return <button type="button" className="elsewhere" onPointerDown={(e) => (e.preventDefault(), go(rows[0]))} onClick={(e) => e.detail === 0 && go(rows[0])}>{rows.length} {word} ↓</button>;
}
