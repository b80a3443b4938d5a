// A table as an ARIA grid: arrows move, Enter or typing edits, Esc restores, and a block pasted from a spreadsheet fills a block.

import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import * as documentActions from "./actions/document";
import * as viewActions from "./actions/view";
import type { Problem } from "./api";
import { evaluate, nameTex, parse, symbolsOf } from "./expression";
import { Icon } from "./icons";
import { shownNumber } from "./live";
import { linesOf, rowsOf } from "./lights";
import { Maths, Typeset } from "./maths";
import { cellText, moveJoint, numbersOf } from "./robot";
import { shownResult } from "./state/result";
import { type State, get, set, subscribe, useStore } from "./store";
import { say as sayNow, useWords } from "./words";

export interface Column { key: string; title: string; tex?: string; width?: string; text?: boolean }
export interface GridRow { key: string; head: React.ReactNode; cells: (string | { node: React.ReactNode } | null)[]; joint?: number }

/** `cells` of a row are paths of the robot, or things of their own. */
export function Grid({ label, head, columns, rows }: { label: string; head: string; columns: Column[]; rows: GridRow[] }) {
  const [at, setAt] = useState<[number, number]>([0, 0]);
  const box = useRef<HTMLTableElement>(null);
  const go = (row: number, column: number) => {
    const r = Math.max(0, Math.min(rows.length - 1, row));
    const c = Math.max(0, Math.min(columns.length - 1, column));
    setAt([r, c]);
    setTimeout(() => box.current?.querySelector<HTMLElement>(`[data-place="${r},${c}"]`)?.focus());
  };
  useEffect(() => { // only a class changes: no cell is drawn again
    const draw = () => box.current?.querySelectorAll<HTMLElement>(".grid-row").forEach((row) => row.classList.toggle("lit", row.dataset.joint === String(get().linked.joint)));
    draw();
    let last = get().linked;
    return subscribe(() => get().linked !== last && ((last = get().linked), draw()));
  }, [rows.length]);
  const keys = (event: React.KeyboardEvent) => {
    const target = (event.target as HTMLElement).closest<HTMLElement>("[data-place]");
    if (!target || get().editing) return;
    const [r, c] = target.dataset.place!.split(",").map(Number);
    const { robot } = get();
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown") && robot && rows[r].joint) {
      event.preventDefault();
      const by = event.key === "ArrowUp" ? -1 : 1;
      const moved = moveJoint(robot, rows[r].joint!, by);
      if (moved) documentActions.edit(moved, `joints.${rows[r].joint}.order`), go(r + by, c);
      return;
    }
    const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -99], End: [0, 99] };
    const step = steps[event.key];
    if (step && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      go(r + step[0], c + step[1]);
    }
  };
  const paste = (event: React.ClipboardEvent) => {
    const target = (event.target as HTMLElement).closest<HTMLElement>("[data-place]");
    const block = event.clipboardData.getData("text").trimEnd().split(/\r?\n/).map((line) => line.split("\t"));
    if (!target || (block.length < 2 && block[0].length < 2)) return;
    event.preventDefault();
    const [r, c] = target.dataset.place!.split(",").map(Number);
    set({ editing: null });
    block.forEach((line, i) => line.forEach((text, k) => {
      const cell = rows[r + i]?.cells[c + k];
      if (typeof cell === "string") documentActions.setCell(cell, text.trim(), i + k > 0);
    }));
  };
  return (
    <table role="grid" className="grid" aria-label={label} ref={box} onKeyDown={keys} onPaste={paste}>
      <thead>
        <tr><th scope="col" className="head">{head}</th>{columns.map((c) => <th key={c.key} scope="col" aria-label={c.title} title={c.title}>{c.tex ? <Maths tex={c.tex} /> : c.title}</th>)}</tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr key={row.key} className="grid-row" data-joint={row.joint} {...(row.joint ? viewActions.lit(null, null, row.joint) : {})}>
            <th scope="row">{row.head}</th>
            {row.cells.map((cell, c) =>
              typeof cell === "string"
                ? <Cell key={columns[c].key} path={cell} place={`${r},${c}`} first={at[0] === r && at[1] === c} label={`${label}, ${columns[c].title}`} onMove={(by) => go(r + by[0], c + by[1])} />
                : <td key={columns[c].key} role="gridcell" className="other">{cell?.node}</td>,
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const problemAt = (path: string) => (s: State): Problem | undefined =>
  s.checked.problems.find((p) => p.path === path && p.severity !== "note");
const litAt = (path: string) => (s: State): boolean => {
  if (s.linked.cell) return s.linked.cell === path || sameSymbol(s, path, s.linked.cell);
  return s.linked.symbol !== null && s.robot !== null && symbolsOf(parse(cellText(s.robot, path))).has(s.linked.symbol);
};
const sameSymbol = (s: State, path: string, other: string): boolean => {
  if (!s.robot) return false;
  const mine = symbolsOf(parse(cellText(s.robot, path)));
  return [...symbolsOf(parse(cellText(s.robot, other)))].some((name) => mine.has(name));
};

export const Cell = memo(function Cell({ path, place, first, label, onMove }: { path: string; place: string; first: boolean; label: string; onMove: (by: [number, number]) => void }) {
  const node = useRef<HTMLTableCellElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const text = useStore((s) => (s.robot ? cellText(s.robot, path) : "0"));
  const editing = useStore((s) => s.editing === path);
  const problem = useStore(problemAt(path));
  const lit = useStore(litAt(path));
  const [start, setStart] = useState("");
  const [near, setNear] = useState(false);
  const error = problem?.severity === "error";
  const begin = (typed?: string) => {
    setStart(text);
    set({ editing: path });
    if (typed !== undefined) documentActions.setCell(path, typed);
  };
  const end = () => get().editing === path && set({ editing: null });
  useLayoutEffect(() => {
    if (!editing) return;
    input.current?.focus();
    if (input.current && input.current.value === start) input.current.select();
  }, [editing]);
  const back = () => setTimeout(() => node.current?.focus());
  const cellKeys = (event: React.KeyboardEvent) => {
    if (editing) return;
    if (event.key === "Enter" || event.key === "F2") event.preventDefault(), begin();
    else if (event.key === "Delete" || event.key === "Backspace") event.preventDefault(), documentActions.setCell(path, "0");
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== " ") event.preventDefault(), event.stopPropagation(), begin(event.key);
  };
  const inputKeys = (event: React.KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") documentActions.setCell(path, start, true), end(), back();
    else if (event.key === "Enter") end(), onMove([event.shiftKey ? -1 : 1, 0]);
    else if (event.key === "Tab") event.preventDefault(), end(), onMove([0, event.shiftKey ? -1 : 1]);
    else if ((event.ctrlKey || event.metaKey) && event.key === "z") event.stopPropagation();
  };
  const classes = ["cell", text.trim() === "0" ? "zero" : "", lit ? "lit" : "", problem ? problem.severity : "", editing ? "editing" : ""].join(" ");
  return (
    <td ref={node} role="gridcell" className={classes} data-place={place} data-path={path} tabIndex={first ? 0 : -1}
      aria-invalid={error || undefined} aria-describedby={problem ? `problem-${path}` : undefined}
      onDoubleClick={() => !editing && begin()} onClick={() => !editing && document.activeElement === node.current && near && begin()} onKeyDown={cellKeys}
      onFocus={() => (viewActions.link(null, path), setTimeout(() => setNear(true), 250))} onBlur={() => (viewActions.link(null), setNear(false))}
      onPointerEnter={() => viewActions.link(null, path)} onPointerLeave={() => document.activeElement !== node.current && viewActions.link(null)}>
      {editing
        ? <input ref={input} value={text} aria-label={label} spellCheck={false} autoComplete="off" maxLength={400} onKeyDown={inputKeys} onBlur={end} onChange={(e) => documentActions.setCell(path, e.target.value, true)} />
        : <Typeset text={text} />}
      {problem && (editing || near || error) && <ProblemCard anchor={node} path={path} problem={problem} shown={editing || near} />}
      {!problem && !editing && lit && <CellCard anchor={node} path={path} />}
    </td>
  );
});

function usePlace(anchor: React.RefObject<HTMLElement | null>, height: number, width: number) {
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  useEffect(() => {
    const box = anchor.current?.getBoundingClientRect();
    if (!box) return;
    const below = box.bottom + 6;
    setPlace({ left: Math.max(8, Math.min(innerWidth - width - 8, box.right - width * 0.6)), top: below + height > innerHeight ? box.top - height - 6 : below });
  }, [anchor, height, width]);
  return place;
}

/** What is wrong, where, an example, and a repair that one key applies. */
function ProblemCard({ anchor, path, problem, shown }: { anchor: React.RefObject<HTMLElement | null>; path: string; problem: Problem; shown: boolean }) {
  const say = useWords();
  const place = usePlace(anchor, 150, 300);
  const valid = useStore((s) => s.valid[path]);
  const [allowed, setAllowed] = useState(false);
  const { title, where, list } = explained(problem, path, say);
  const repair = problem.severity === "warning" ? (problem.repair ?? undefined) : valid;
  const apply = (event: React.PointerEvent | React.MouseEvent) => {
    event.preventDefault();
    if (repair !== undefined) documentActions.setCell(path, repair);
    set({ editing: null });
  };
  if (!shown || !place) return <span id={`problem-${path}`} className="unseen">{problem.message}</span>;
  return createPortal(
    <div className={`pop ${problem.severity}`} role="alert" style={{ left: place.left, top: place.top, width: 300 }}>
      <b id={`problem-${path}`}><Icon name="warning" />{title}</b>
      <p>{where}{problem.severity === "error" && <> {say("Write a number, a symbol or an expression, for example")} <code>D3</code>, <code>0.45</code> {say("or")} <code>D3 + L3</code>.</>}</p>
      {allowed && <p className="allowed">{list}</p>}
      <div className="actions">
        {repair !== undefined && <button type="button" className="primary" onPointerDown={apply}>{say("Use")} <code>{repair}</code></button>}
        {list && <button type="button" onPointerDown={(e) => (e.preventDefault(), setAllowed(!allowed))}>{say("What is allowed")}</button>}
        <kbd>Esc</kbd>
      </div>
    </div>,
    document.body,
  );
}

function explained(problem: Problem, path: string, say: typeof sayNow) {
  const { allowed: list, wrong } = problem;
  const text = get().robot ? cellText(get().robot!, path).trim() : "";
  const after = problem.missing && /[+\-*/^(,]$/.test(text) ? say(" after “{}”", text.slice(-1)) : "";
  const title = wrong.charAt(0).toUpperCase() + wrong.slice(1) + after;
  const [, joint, ...name] = path.split(".");
  const where = `${path.startsWith("joints.") ? `${say("Joint")} ${joint}, ${name.join(" ")}` : path}${problem.column ? `, ${say("column")} ${problem.column}` : ""}.`;
  return { title, where, list };
}

const MEANINGS: Record<string, [string, string]> = {
  gamma: ["Angle γ of frame {}, about z of its antecedent.", "rad"], b: ["Distance b of frame {}, along z of its antecedent.", "m"],
  alpha: ["Angle α of frame {}, about x.", "rad"], d: ["Distance d of frame {}, along x.", "m"],
  theta: ["Angle θ of frame {}, about its own axis z.", "rad"], r: ["Distance r of frame {}, along its own axis z.", "m"],
};
const LETTERS: Record<string, string> = { gamma: "\\gamma", b: "b", alpha: "\\alpha", d: "d", theta: "\\theta", r: "r" };

export function meaningOf(path: string): { tex: string; text: string; unit: string } {
  const place = /^parallel\.(home|legs\.(\d+)\.pose)\.(\d)\.(\d)$/.exec(path);
  if (place) return { tex: `${place[4] === "3" ? "xyz"[Number(place[3])] : `R_{${Number(place[3]) + 1}${Number(place[4]) + 1}}`}${place[2] ? `^{(${place[2]})}` : ""}`, text: "", unit: place[4] === "3" ? "m" : "" };
  if (path.startsWith("parallel.")) return { tex: nameTex(`${path.split(".").pop()}P`), text: "", unit: "" };
  const [, joint, name, entry] = path.split(".");
  const known = MEANINGS[name];
  if (known) return { tex: `${LETTERS[name]}_{${joint}}`, text: sayNow(known[0], joint), unit: known[1] };
  return { tex: nameTex(`${entry ?? name}${joint ?? ""}`), text: "", unit: "" };
}

/** What a cell means, its number, and where its symbol is used. */
function CellCard({ anchor, path }: { anchor: React.RefObject<HTMLElement | null>; path: string }) {
  const say = useWords();
  const place = usePlace(anchor, 110, 262);
  const robot = useStore((s) => s.robot);
  const q = useStore((s) => s.q);
  const result = useStore(shownResult);
  const mine = useStore((s) => s.linked.cell === path);
  if (!robot || !place || !mine) return null;
  const text = cellText(robot, path);
  const names = [...symbolsOf(parse(text))];
  if (!names.length) return null;
  const numbers = numbersOf(robot);
  const number = evaluate(parse(text), (name) => q[name] ?? numbers(name));
  const { tex, text: meaning, unit } = meaningOf(path);
  const symbol = result?.data?.symbols.find((s) => s.name === names[0]);
  const file = result?.code[result.target]?.files.find((f) => Object.keys(f.statements).length);
  return createPortal(
    <div className="pop card-pop" role="tooltip" style={{ left: place.left, top: place.top, width: 262 }}>
      <div className="card-head"><Maths tex={`${tex} = ${nameTex(names[0])}`} /><span className="digits">{shownNumber(number, 3)} {symbol?.unit ?? unit}</span></div>
      <p>{meaning || (symbol?.text ?? "")}</p>
      {result?.data && <p className="quiet foot">{rowsOf(result.data, names[0]).length} {say("equations")}{file ? ` · ${linesOf(file, names[0]).length} ${say("lines of code")}` : ""}<span className="gap" /><kbd>L</kbd> {say("pin")}</p>}
    </div>,
    document.body,
  );
}
