// Generated code: lines of fixed height, drawn where one looks; each symbol is a place that the server named.

import { useEffect, useMemo, useRef, useState } from "react";
import * as resultActions from "./actions/result";
import * as viewActions from "./actions/view";
import type { CodeFile } from "./api";
import { Elsewhere } from "./equations";
import { IconButton } from "./icons";
import { firstOfRuns, light, linkKey, linkedLines, linksOfLines, pointerMoved, useLights } from "./lights";
import { Splitter } from "./splitter";
import type { Result } from "./state/result";
import { get, useStore } from "./store";
import { jointColour } from "./theme";
import { putAt, together } from "./together";
import { useWords } from "./words";

const FIRST = ["c", "cpp", "python", "matlab", "julia", "rust"];
const TITLES: Record<string, string> = { c: "C", cpp: "C++", python: "Python", matlab: "MATLAB", julia: "Julia", rust: "Rust", fortran: "Fortran", javascript: "JavaScript", jax: "JAX", casadi: "CasADi", mathematica: "Mathematica", maple: "Maple", latex: "LaTeX", html: "HTML", symoro: "SYMORO+", fmi: "FMI", simulink: "Simulink" };
const HEIGHT = 20;
const TOKENS = /(\/\*.*?\*\/|\/\/.*|#(?!include|ifndef|define|endif|if ).*|%.*|!.*$|\(\*.*?\*\))|("[^"]*"|'[^']*')|\b(const|double|float|void|static|struct|return|if|else|for|int|let|pub|fn|mut|use|function|end|def|import|from|class|real|subroutine|module|integer|intent|template|typename|inline|local|proc|Module)\b|\b(\d+\.?\d*(?:[eE][+-]?\d+)?)\b|\b(sin|cos|tan|sqrt|atan2|fabs|exp|abs|asin|acos)\b/g;

export function CodePane({ result }: { result: Result }) {
  const say = useWords();
  const targets = useStore((s) => s.facts?.targets ?? {});
  const file = fileOf(result);
  const others = Object.keys(targets).filter((t) => !FIRST.includes(t));
  const [copied, setCopied] = useState(false);
  return (
    <div className="code-pane">
      <div className="tabs code-tabs">
        <div role="tablist" className="tab-list" aria-label={say("Language")}>
          {FIRST.map((t) => <button key={t} type="button" role="tab" aria-selected={result.target === t} className="tab" onClick={() => resultActions.chooseTarget(result.id, t)}>{TITLES[t]}</button>)}
        </div>
        <select className="more-languages" aria-label={say("Other languages")} value={others.includes(result.target) ? result.target : ""} onChange={(e) => resultActions.chooseTarget(result.id, e.target.value)}>
          <option value="" disabled>{say("{} more", others.length)}</option>{others.map((t) => <option key={t} value={t}>{TITLES[t] ?? t}</option>)}
        </select>
        <span className="gap" />
        <IconButton name="copy" label={say(copied ? "Copied" : "Copy")} disabled={!file} onClick={() => file && void navigator.clipboard?.writeText(file.text).then(() => (setCopied(true), setTimeout(() => setCopied(false), 1500)))} />
      </div>
      {file ? <Lines key={file.name + result.target} file={file} result={result} /> : <p className="quiet pad" role="status">{result.codeMessage || "…"}</p>}
      {result.view === "both" && <Splitter of="code" />}
    </div>
  );
}

/** The file that is shown: the chosen one, or the one with most statements. */
export function fileOf(result: Result): CodeFile | undefined {
  const files = result.code[result.target]?.files;
  const statements = (f: CodeFile) => Object.keys(f.statements).length;
  return files?.find((f) => f.name === result.file) ?? files?.reduce((best, f) => (statements(f) > statements(best) ? f : best), files[0]);
}

/** The line of the first statement that belongs to a link: what is computed once comes before it. */
function firstLine(file: CodeFile, result: Result): number {
  const lines = Object.entries(file.statements).map(([line, symbol]) => [Number(line), symbol] as const);
  const group = result.data!.groups.find((g) => g.kind === "link" || g.kind === "results");
  const row = group ? result.data!.rows[group.first] : undefined;
  const name = row ? result.data!.symbols[row.defines[0]].name : "";
  return lines.find(([, symbol]) => symbol === name)?.[0] ?? Math.min(...lines.map(([line]) => line), Infinity);
}

function Lines({ file, result }: { file: CodeFile; result: Result }) {
  const say = useWords();
  const pane = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => file.text.split("\n"), [file]);
  const firstCode = useMemo(() => firstLine(file, result), [file]);
  const places = useMemo(() => {
    const found = new Map<number, CodeFile["places"]>();
    file.places.forEach((p) => found.set(p[0], [...(found.get(p[0]) ?? []), p]));
    return found;
  }, [file]);
  const links = useMemo(() => linksOfLines(file, result.data!), [file, result.data]);
  const [chosen, setChosen] = useState<number | null>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const node = pane.current!;
    const observer = new ResizeObserver(() => setHeight(node.clientHeight));
    observer.observe(node);
    if (firstCode < lines.length) putAt(node, Math.max(0, (firstCode - 1) * HEIGHT));
    return () => observer.disconnect();
  }, [file]);
  useEffect(() => {
    const known = new Set(result.data!.symbols.filter((s) => s.text).map((s) => s.name));
    const marks = new Map(Object.entries(file.statements).filter(([, name]) => known.has(name)).map(([line, name]) => [name, Number(line) * HEIGHT]));
    return together(result.id, "code", pane.current!, () => marks);
  }, [file, result.id]);
  useEffect(() => {
    let at = -1;
    const next = (event: Event) => {
      const lines = firstOfRuns(linkedLines(file, links));
      if (lines.length) go(lines[(at = (at + (event as CustomEvent<number>).detail + lines.length) % lines.length)]);
    };
    addEventListener("symoro-use", next);
    return () => removeEventListener("symoro-use", next);
  }, [file, links]);
  useLights(pane, null, file);
  const from = Math.max(0, Math.floor(top / HEIGHT) - 10);
  const to = Math.min(lines.length, from + Math.ceil(height / HEIGHT) + 20);
  useEffect(() => {
    if (pane.current && linkKey(get())) light(pane.current, null);
  }, [from, to]);
  const point = (event: React.PointerEvent) => {
    if (!pointerMoved(event)) return;
    const at = event.target as Element;
    const name = at.closest<HTMLElement>("[data-name]")?.dataset.name ?? null;
    const line = at.closest(".row-number")?.closest<HTMLElement>("[data-link]");
    viewActions.link(name, null, name ? null : Number(line?.dataset.link ?? 0) || null);
  };
  const go = (line: number) => pane.current?.scrollTo({ top: Math.max(0, line * HEIGHT - pane.current.clientHeight / 2) });
  /** The next statement, by the keys: what it computes is linked. */
  const keys = (event: React.KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const all = Object.keys(file.statements).map(Number).sort((a, b) => a - b);
    const here = chosen ?? Math.floor(top / HEIGHT) - by;
    const line = by > 0 ? all.find((n) => n > here) : all.findLast((n) => n < here);
    if (line === undefined) return;
    setChosen(line);
    if (line * HEIGHT < top || (line + 2) * HEIGHT > top + height) go(line);
    viewActions.link(file.statements[line]);
  };
  return (
    <div className="pane">
      <div ref={pane} className="code scroll" tabIndex={0} role="region" aria-label={file.name} onScroll={(e) => setTop(e.currentTarget.scrollTop)} onPointerOver={point} onPointerLeave={(e) => pointerMoved(e) && viewActions.link(null)} onKeyDown={keys} onBlur={() => (setChosen(null), viewActions.link(null))}>
        <div style={{ height: lines.length * HEIGHT, position: "relative" }}>
          {lines.slice(from, to).map((text, k) => {
            const line = from + k;
            const link = links.get(line);
            return (
              <div key={line} className="code-line" data-chosen={line === chosen || undefined} data-line={line} data-link={link} style={{ top: line * HEIGHT, "--joint": link ? jointColour(link) : "transparent" } as React.CSSProperties}>
                <span className="row-number">{line + 1}</span><span className="code-text">{pieces(text, places.get(line) ?? [])}</span>
              </div>
            );
          })}
        </div>
      </div>
      <Elsewhere places={() => linkedLines(file, links)} pane={pane} word={say("lines")} go={go} />
    </div>
  );
}

/** A line with its symbols as places, and with words, numbers and comments coloured. */
function pieces(text: string, places: CodeFile["places"]): React.ReactNode[] {
  const out: React.ReactNode[] = [];
  let at = 0;
  for (const [, column, length, symbol] of [...places].sort((a, b) => a[1] - b[1])) {
    if (column < at) continue;
    out.push(...coloured(text.slice(at, column), at));
    out.push(<span key={`s${column}`} className="symbol" data-name={symbol}>{text.slice(column, column + length)}</span>);
    at = column + length;
  }
  out.push(...coloured(text.slice(at), at));
  return out;
}

function coloured(text: string, offset: number): React.ReactNode[] {
  const out: React.ReactNode[] = [];
  let at = 0;
  for (const found of text.matchAll(TOKENS)) {
    const kind = found[1] ? "comment" : found[2] ? "string" : found[3] ? "word" : found[4] ? "numeral" : "function";
    if (found.index > at) out.push(text.slice(at, found.index));
    out.push(<span key={`${offset}-${found.index}`} className={`t-${kind}`}>{found[0]}</span>);
    at = found.index + found[0].length;
  }
  if (at < text.length) out.push(text.slice(at));
  return out;
}
