import { useEffect, useRef, useState } from "react";
import * as resultActions from "./actions/result";
import * as viewActions from "./actions/view";
import type { Option } from "./api";
import { CodePane, fileOf } from "./code";
import { Equations } from "./equations";
import { Icon, IconButton } from "./icons";
import { Branches } from "./inverse";
import { onValues, shownNumber, valuesOf } from "./live";
import { Maths } from "./maths";
import { type Robot, keyOf } from "./robot";
import { Splitter } from "./splitter";
import type { Result, View } from "./state/result";
import { set, useStore } from "./store";
import { useWords } from "./words";

const SHORT: Record<string, string> = { inverse_dynamics: "Inverse dynamics", direct_dynamics: "Direct dynamics", inverse_geometry: "Inverse geometry", forward_geometry: "Direct geometry", jacobian: "Jacobian" };
const SIGNATURES: Record<string, string> = {
  inverse_dynamics: "\\Gamma = f(q, \\dot q, \\ddot q)", direct_dynamics: "\\ddot q = g(q, \\dot q, \\Gamma)", inertia_matrix: "A(q)", jacobian: "J(q)",
  forward_geometry: "{}^0T = f(q)", inverse_geometry: "q = f({}^0T)", gravity: "Q(q)", bias: "H(q, \\dot q)", dynamic_regressor: "\\Gamma = D(q, \\dot q, \\ddot q)\\, K",
};

export function Results() {
  const say = useWords();
  const results = useStore((s) => s.results);
  const shown = useStore((s) => s.shown);
  const beside = useStore((s) => s.beside);
  const projector = useStore((s) => s.projector);
  const together = useStore((s) => s.together);
  const main = results.find((r) => r.id === shown);
  const other = results.find((r) => r.id === beside && r.id !== shown);
  const dynamic = () => set({ menu: "Dynamic" });
  return (
    <section className="results" aria-label={say("Results")}>
      {!projector && (
        <div className="tabs">
          <div role="tablist" className="tab-list" aria-label={say("Results")}>
            {results.map((r) => (
              <button key={r.id} type="button" role="tab" aria-selected={r.id === shown} aria-keyshortcuts="Delete" className="tab" onClick={() => set({ shown: r.id })} onKeyDown={(e) => e.key === "Delete" && resultActions.closeResult(r.id)}>
                {r.entry.name in SHORT ? say(SHORT[r.entry.name]) : r.entry.title}{apart(r, results, say)}{r.state === "running" && <i className="dot busy" />}
                {r.id === shown && <span className="tab-close" title={say("Close")} onClick={(e) => (e.stopPropagation(), resultActions.closeResult(r.id))}><Icon name="close" /></span>}
              </button>
            ))}
          </div>
          <IconButton name="plus" label={say("Choose a model")} onClick={dynamic} />
          <span className="gap" />
          {other && <IconButton name="chain" label={say("scroll together")} aria-pressed={together} onClick={() => set({ together: !together })} />}
          {results.length > 1 && <IconButton name="beside" label={say("opens it beside the current result")} aria-pressed={other !== undefined} onClick={() => set({ beside: other ? null : (results.find((r) => r.id !== shown)?.id ?? null) })} />}
        </div>
      )}
      {main ? (
        <div className={other && !projector ? "sides two" : "sides"}><ResultPane key={main.id} result={main} />{other && !projector && <ResultPane key={other.id} result={other} />}</div>
      ) : (
        <div className="empty">
          <h2>{say("Choose a model")}</h2>
          <p>{say("Equations, counts and code appear here. Press M, then D for the dynamic models, or Ctrl K.")}</p>
          <div className="actions">
            {["inverse_dynamics", "forward_geometry", "jacobian", "inverse_geometry"].map((name) => <Quick key={name} name={name} />)}
          </div>
        </div>
      )}
      <Splitter of="results" />
    </section>
  );
}

/** What tells a result apart from another one of the same model: the first option that differs. */
function apart(result: Result, all: Result[], say: (text: string) => string): string {
  const twin = all.find((r) => r.id !== result.id && r.entry.name === result.entry.name);
  const value = (r: Result, o: Option) => r.options[o.name] ?? o.default;
  const option = twin && result.entry.options.find((o) => value(result, o) !== value(twin, o));
  return option ? ` · ${say(String(value(result, option)))}` : "";
}

function Quick({ name }: { name: string }) {
  const entry = useStore((s) => resultActions.catalogueOf(s.facts, s.robot).find((e) => e.name === name) ?? null);
  const reason = useStore((s) => s.checked.models?.[name] ?? null);
  const loops = useStore((s) => name === "inverse_geometry" && (s.robot?.cuts.length ?? 0) > 0);
  if (!entry || reason || loops) return null;
  return <button type="button" onClick={() => resultActions.openModel(name)}>{entry.title}</button>;
}

function ResultPane({ result }: { result: Result }) {
  const say = useWords();
  const projector = useStore((s) => s.projector);
  const older = useStore((s) => result.data !== null && s.robot !== null && result.key !== keyOf(s.robot));
  const wrong = useStore((s) => s.checked.problems.some((p) => p.severity === "error"));
  const code = useStore((s) => s.sizes.code);
  const { data, view } = result;
  return (
    <div className="result" data-result={result.id}>
      {!projector && (
        <div className="result-head">
          {older && result.state !== "running" && (
            <div className="notice"><Icon name="clock" /><span>{say("These equations are of the table before your last edit.")}</span>
              <button type="button" className="plain" disabled={wrong} onClick={() => void resultActions.compute(result.id)}>{say(wrong ? "Update after the fix" : "Update")}</button></div>
          )}
          <div className="title-row">
            <h2>{result.entry.title}</h2>{!result.robot.parallel && SIGNATURES[result.entry.name] && <span className="signature"><Maths tex={SIGNATURES[result.entry.name]} /></span>}
            <span className="gap" />
            {data && <Badge result={result} />}
          </div>
          <Options result={result} />
          {result.state === "running" && <Running result={result} />}
          {(result.state === "failed" || result.state === "cancelled") && <Failed result={result} />}
          {data && result.state !== "running" && view !== "branches" && <Counts result={result} />}
          {data && <ViewSwitch result={result} />}
        </div>
      )}
      {data && (view === "branches" ? <Branches result={result} /> : (
        <div className={`panes ${projector ? "equations" : view}`} style={code !== null && view === "both" && !projector ? { gridTemplateRows: `${1 - code}fr ${code}fr` } : undefined}>
          {(projector || view === "equations" || view === "both") && <Equations result={result} />}
          {!projector && (view === "code" || view === "both") && <CodePane result={result} />}
          {!projector && view === "values" && <Values result={result} />}
        </div>
      ))}
      {data && !projector && <Foot result={result} />}
    </div>
  );
}

function Badge({ result }: { result: Result }) {
  const say = useWords();
  const rival = result.data!.published[0];
  if (!rival) return <span className="quiet">{result.data!.citation}</span>;
  const ours = result.data!.ops.mul + result.data!.ops.add;
  const part = Math.round((100 * (ours - rival.total)) / rival.total);
  return <span className={part <= 0 ? "badge good" : "badge"} title={rival.source}>{part > 0 ? "+" : part < 0 ? "−" : "±"}{Math.abs(part)} % {say("against SYMORO+")}</span>;
}

const NAMES: Record<string, string> = { params: "Parameters", method: "Method", optimize: "Reduce", link: "Link", frame: "Frame", task: "Task", i: "From frame", j: "To frame", projection: "Projection", intermediate: "Intermediate", by: "Columns", rotors: "Rotors", friction: "Friction", offset: "Offset", angles: "Angles", alike: "Alike", space: "Coordinates" };
const METHODS: Record<string, string> = { "newton-euler": "Newton–Euler" };

type Choice = [string, string | number | boolean | null];

/** The values of an option, as a list to choose from; those of frames have the names of the robot's joints and frames. */
function choicesOf(option: Option, robot: Robot | null, say: (text: string) => string): Choice[] {
  const none = (title: string): Choice[] => (option.required ? [] : [[say(title), null]]);
  const words = (option.choices ?? []).filter((c) => c !== null);
  if (option.kind === "choice") return words.map((c) => [METHODS[c] ?? say(c), c]);
  if (option.kind === "flag" && words.length) return [...words.map((c): Choice => [say(c), c]), [say("paper's form"), false]];
  if (option.kind === "flag") return [...(option.default === null ? none("as given") : []), [say("yes"), true], [say("no"), false]];
  const numbered: Choice[] = [["0", 0], ...(robot?.joints ?? []).map((joint, k): Choice => [`${k + 1} ${joint.name}`, k + 1])];
  return [...none("as given"), ...numbered, ...(robot?.frames ?? []).map((f): Choice => [f.name, f.name])];
}

function Options({ result }: { result: Result }) {
  const shown = result.entry.options.filter((o) => !["configuration", "branches", "given"].includes(o.kind) && o.name !== "fast");
  if (!shown.length) return null;
  return <div className="options">{shown.map((o) => <OptionChip key={o.name} result={result} option={o} />)}</div>;
}

function OptionChip({ result, option }: { result: Result; option: Option }) {
  const say = useWords();
  const robot = useStore((s) => s.robot);
  const language = useStore((s) => s.language);
  const value = result.options[option.name] ?? option.default;
  const choices = choicesOf(option, robot, say);
  const at = choices.findIndex(([, v]) => v === value || (value === true && v === "fast"));
  const name = say(NAMES[option.name] ?? option.name);
  return (
    <label className="option" title={option.help[language]}>
      <span className="quiet">{name}</span>
      <select value={at} aria-label={`${name}: ${option.help[language]}`} onChange={(e) => resultActions.setOption(result.id, option.name, choices[Number(e.target.value)][1])}>
        {choices.map(([title], k) => <option key={k} value={k}>{title}</option>)}
      </select>
      <Icon name="down" />
      {option.kind === "frame" && !result.robot.parallel && <PickButton result={result.id} option={option.name} name={name} />}
    </label>
  );
}

/** Choose the value of an option in the view. */
function PickButton({ result, option, name }: { result: number; option: string; name: string }) {
  const say = useWords();
  const on = useStore((s) => s.picking?.result === result && s.picking.option === option);
  const toggle = (event: React.MouseEvent) => {
    event.preventDefault();
    viewActions.unpin();
    set({ picking: on ? null : { result, option } });
    if (!on) document.querySelector<HTMLElement>(".view")?.focus();
  };
  return <IconButton name="target" label={`${name}: ${say("choose in the view")}`} aria-pressed={on} onClick={toggle} />;
}

function Running({ result }: { result: Result }) {
  const say = useWords();
  const [now, setNow] = useState(0);
  useEffect(() => {
    const began = performance.now();
    const timer = setInterval(() => setNow((performance.now() - began) / 1000), 250);
    return () => clearInterval(timer);
  }, []);
  const stages = result.job?.stages ?? [];
  return (
    <div className="running">
      <div className="running-head"><b>{result.job?.state === "waiting" ? say("Waiting for a free place") : say(result.options.optimize === "best" ? "Searching for fewer operations" : "Building the model")}</b>
        <span className="gap" /><span className="quiet digits">{now.toFixed(0)} s</span>
        <button type="button" onClick={() => resultActions.cancelJob(result.id)}><Icon name="close" />{say("Cancel")} <kbd>Esc</kbd></button></div>
      <div className="progress"><i /></div>
      <ol role="status">
        {stages.slice(-4).map((stage, k, all) => (
          <li key={stage.at + stage.text} className={k === all.length - 1 ? "now" : ""}><Icon name={k === all.length - 1 ? "turn" : "check"} /><span>{stage.text}</span><span className="digits quiet">{stage.at.toFixed(1)} s</span></li>
        ))}
      </ol>
      {result.data && <p className="quiet"><Icon name="clock" />{say("The result below stays usable.")}</p>}
    </div>
  );
}

function Failed({ result }: { result: Result }) {
  const say = useWords();
  const cancelled = result.state === "cancelled";
  return (
    <div className={cancelled ? "notice" : "notice error"} role="alert"><Icon name={cancelled ? "clock" : "warning"} />
      <span>{cancelled ? say("cancelled") : result.message}{!cancelled && <><br /><span className="quiet">{say("choose another option, or another model")}</span></>}</span>
      <button type="button" className="plain" onClick={() => void resultActions.compute(result.id)}>{say("Update")}</button></div>
  );
}

function Counts({ result }: { result: Result }) {
  const { ops, published } = result.data!;
  const rival = published[0];
  const longest = Math.max(ops.mul + ops.add, rival?.total ?? 0, 1);
  const bar = (mul: number, add: number, name: string) => (
    <div className={`count-row ${name}`}><span>{name}</span><span className="bar"><i className="mul" style={{ width: `${(100 * mul) / longest}%` }} /><i className="add" style={{ width: `${(100 * add) / longest}%` }} /></span>
      <span className="digits"><b>{mul}</b> mul <b>{add}</b> add{name === "symoro" && ops.div + ops.sqrt > 0 ? <> <b>{ops.div + ops.sqrt}</b> div</> : null}</span></div>
  );
  return <div className="counts">{bar(ops.mul, ops.add, "symoro")}{rival && rival.mul !== null && bar(rival.mul, rival.add ?? 0, "SYMORO+")}</div>;
}

function ViewSwitch({ result }: { result: Result }) {
  const say = useWords();
  const find = useStore((s) => s.find);
  const views: [View, string][] = [...(result.data!.inverse ? ([["branches", "Branches"]] as [View, string][]) : []), ["equations", "Equations"], ["code", "Code"], ["both", "Both"], ["values", "Values"]];
  return (
    <div className="view-row">
      <div className="switch" role="group" aria-label={say("Results")}>{views.map(([key, title]) => <button key={key} type="button" aria-pressed={result.view === key} onClick={() => resultActions.showAs(result.id, key)}>{say(title)}</button>)}</div>
      {(result.view === "equations" || result.view === "both") && <Forms result={result} />}
      {result.view !== "branches" && <label className="find"><Icon name="search" /><input value={find} placeholder={say("Find a symbol")} aria-label={say("Find a symbol")} onChange={(e) => set({ find: e.target.value })} /></label>}
    </div>
  );
}

const FORMS = [["named", "With variables"], ["expanded", "Written out"]] as const;

/** Intermediate variables, or none: a result that is too long says so. */
function Forms({ result }: { result: Result }) {
  const say = useWords();
  return (
    <label className="option" title={say("Equations with intermediate variables, or written out from the inputs, the parameters, sines and cosines")}>
      <select value={result.form} aria-label={say("Form of the equations")} onChange={(e) => resultActions.showForm(result.id, e.target.value as Result["form"])}>
        {FORMS.map(([key, title]) => <option key={key} value={key}>{say(title)}</option>)}
      </select>
      <Icon name="down" />
    </label>
  );
}

function Values({ result }: { result: Result }) {
  const box = useRef<HTMLDivElement>(null);
  const data = result.data!;
  useEffect(() => {
    const draw = () => {
      valuesOf(result);
      data.outputs.forEach((o) => {
        const numbers = result.runner!.output(o.name);
        numbers.forEach((x, k) => {
          const node = box.current?.querySelector(`[data-out="${o.name}-${k}"]`);
          if (node) node.textContent = shownNumber(x);
        });
      });
    };
    draw();
    return onValues(draw);
  }, [result]);
  return (
    <div className="values scroll" ref={box} tabIndex={0}>
      {data.outputs.map((o) => {
        const columns = o.shape.length > 1 ? o.shape[o.shape.length - 1] : 1;
        const rows = o.elements.length / (columns || 1);
        return (
          <section key={o.name}><h3>{o.name} <span className="quiet">{o.shape.join(" × ")} {new Set(o.units).size === 1 ? o.units[0] : ""}</span></h3>
            <table><tbody>{Array.from({ length: Math.min(rows, 200) }, (_, r) => <tr key={r}>{columns === 1 && <th className="digits quiet">{o.names[r]}</th>}{Array.from({ length: columns }, (_, c) => <td key={c} className="digits" title={o.names[r * columns + c]} data-out={`${o.name}-${r * columns + c}`} />)}</tr>)}</tbody></table></section>
        );
      })}
    </div>
  );
}

function Foot({ result }: { result: Result }) {
  const say = useWords();
  const { ops } = result.data!;
  return (
    <div className="foot-row">
      {["code", "both"].includes(result.view) && fileOf(result)
        ? <select className="files" aria-label={say("File")} value={fileOf(result)!.name} onChange={(e) => resultActions.chooseFileOf(result.id, e.target.value)}>{result.code[result.target].files.map((f) => <option key={f.name}>{f.name}</option>)}</select>
        : <span className="quiet">{ops.mul} mul, {ops.add} add{ops.trig ? `, ${ops.trig} trig` : ""}</span>}
      <span className="gap" />
      <button type="button" className="primary" onClick={() => void resultActions.downloadZip(result.id)}><Icon name="download" />{say("Download zip")}</button>
    </div>
  );
}
