import { memo, useEffect, useRef, useState } from "react";
import * as documentActions from "./actions/document";
import * as motionActions from "./actions/motion";
import * as resultActions from "./actions/result";
import * as viewActions from "./actions/view";
import { Grid, type GridRow } from "./grid";
import { Icon, IconButton } from "./icons";
import { onValues, shownNumber, valuesOf } from "./live";
import { Maths } from "./maths";
import { NumberField } from "./numberfield";
import { nameTex, parse, symbolsOf } from "./expression";
import { DRIVE, INERTIA, type Joint, type Kind, type Robot, addJoint, attachTool, cellText, cutLoop, isCell, linkCount, moving, newJoint, rangeOf, removeJoint, withCell } from "./robot";
import { type State, get, set, useStore } from "./store";
import { FreeBase } from "./freebase";
import { before, isInLeg, isOfLeg, legOf } from "./legs";
import { Alike, PlatformSliders, PlatformTable } from "./platformpane";
import { Target } from "./inverse";
import { Splitter } from "./splitter";
import { jointColour } from "./theme";
import { useWords } from "./words";

export function RobotColumn() {
  const say = useWords();
  const inverse = useStore((s) => s.results.some((r) => r.id === s.shown && r.entry.name === "inverse_geometry"));
  return (
    <section className="robot-column" aria-label={say("Robot")}>
      <Tables />
      <div className="scroll">
        {inverse && <Target />}
        <FreeBase />
        <PlatformSliders />
        <Joints />
        {!inverse && <Symbols />}
        <Structure />
      </div>
      <Splitter of="robot" />
    </section>
  );
}

const TABS = [["geometry", "Geometry"], ["inertia", "Inertia"], ["drives", "Drives"], ["base", "Base"], ["loops", "Loops"]] as const;
const tabOf = (path: string): string =>
  path.startsWith("parallel") ? "loops" : path.includes(".inertia") ? "inertia" : path.includes(".drive") || path.includes(".limits") ? "drives" : path.startsWith("joints") ? "geometry" : path.startsWith("cuts") ? "loops" : "base";

export function Tables() {
  const say = useWords();
  const robot = useStore((s) => s.robot)!;
  const table = useStore((s) => s.table);
  const problems = useStore((s) => s.checked.problems);
  const errors = (tab: string) => problems.filter((p) => p.severity === "error" && tabOf(p.path) === tab).length;
  return (
    <>
      <div className="tabs" role="tablist" aria-label={say("Table")}>
        {TABS.map(([key, title]) => (
          <button key={key} type="button" role="tab" aria-selected={table === key} className="tab" onClick={() => set({ table: key })}>
            {say(key === "loops" && robot.parallel ? "Platform" : title)}{key === "loops" && robot.cuts.length > 0 && <span className="number">{robot.cuts.length}</span>}{errors(key) > 0 && <span className="count-error">{errors(key)}</span>}
          </button>
        ))}
      </div>
      <div className="table-box">
        {table === "geometry" && <Geometry robot={robot} />}
        {table === "inertia" && <Inertias robot={robot} />}
        {table === "drives" && <Drives robot={robot} />}
        {table === "base" && <BaseTable robot={robot} />}
        {table === "loops" && (robot.parallel ? <PlatformTable robot={robot} /> : <LoopTable robot={robot} />)}
      </div>
      {table === "geometry" && <Actions robot={robot} />}
      {robot.parallel && <Alike />}
      <OtherProblems />
    </>
  );
}

function JointName({ robot, joint, j }: { robot: Robot; joint: Joint; j: number }) {
  const say = useWords();
  const [editing, setEditing] = useState(false);
  if (editing)
    return <input className="name-input" defaultValue={joint.name} autoFocus aria-label={say("Name of joint {}", j)} maxLength={200} onBlur={() => setEditing(false)}
      onKeyDown={(e) => { e.stopPropagation(); if (e.key === "Escape") setEditing(false); if (e.key === "Enter") { documentActions.edit(withCell(robot, `joints.${j}.name`, e.currentTarget.value.trim() || joint.name), `joints.${j}.name`); setEditing(false); } }} />;
  const passive = joint.kind !== "fixed" && !joint.actuated;
  return (
    <span className="joint-name" onDoubleClick={() => setEditing(true)}>
      <i className={passive || joint.kind === "fixed" ? "dot passive" : "dot"} style={{ background: jointColour(j) }} />
      <b>{j}</b> <span className="quiet">{joint.name}</span>
    </span>
  );
}

const KINDS: [Kind, string, string][] = [["revolute", "turn", "0 revolute"], ["prismatic", "slide", "1 prismatic"], ["fixed", "lock", "2 fixed"]];

/** The name of a new variable; that of a leg ends in its number. */
function nameOf(robot: Robot, j: number): string {
  const leg = legOf(robot, j);
  return `q${j - before(robot, leg)}${isInLeg(robot, j) ? `_${leg + 1}` : ""}`;
}

/** Another kind: the variable goes to θ or r. */
function setKind(robot: Robot, j: number, kind: Kind): void {
  const joint = robot.joints[j - 1];
  const before = moving(joint);
  const fresh = newJoint(j, joint.parent, kind);
  const after = moving(fresh);
  const variable = kind === "fixed" ? null : (joint.variable ?? nameOf(robot, j));
  const next: Joint = { ...joint, kind, variable, actuated: kind !== "fixed" && (joint.actuated || joint.kind === "fixed") };
  if (before && before !== after) next[before] = "0";
  if (after && before !== after) next[after] = variable!;
  documentActions.edit({ ...robot, joints: robot.joints.map((x, k) => (k === j - 1 ? next : x)) }, `joints.${j}.kind`);
}

function Geometry({ robot }: { robot: Robot }) {
  const say = useWords();
  const extra = (["gamma", "b"] as const).filter((name) => robot.joints.some((j) => j[name].trim() !== "0"));
  const names = [...extra, "alpha", "d", "theta", "r"];
  const tex: Record<string, string> = { gamma: "\\gamma_j", b: "b_j", alpha: "\\alpha_j", d: "d_j", theta: "\\theta_j", r: "r_j" };
  const columns = [{ key: "a", title: say("antecedent"), tex: "a(j)" }, { key: "s", title: "σ", tex: "\\sigma_j" }, ...names.map((n) => ({ key: n, title: n, tex: tex[n] }))];
  const rows: GridRow[] = robot.joints.map((joint, k) => {
    const j = k + 1;
    const [, icon, title] = KINDS.find(([kind]) => kind === joint.kind)!;
    const next = KINDS[(KINDS.findIndex(([kind]) => kind === joint.kind) + 1) % 3][0];
    return {
      key: String(j), joint: j, head: <JointName robot={robot} joint={joint} j={j} />,
      cells: [
        { node: <Parent robot={robot} j={j} /> },
        { node: <button type="button" className="kind" title={`σ ${say(title)}`} aria-label={say("σ of joint {}: {}", j, say(title))} onClick={() => setKind(robot, j, next)}><Icon name={icon} /></button> },
        ...names.map((n) => `joints.${j}.${n}`),
      ],
    };
  });
  return <Grid label={say("Geometry")} head={say("joint")} columns={columns} rows={rows} />;
}

/** The antecedents that a joint can have: the base and links of its leg; of a joint of no leg the platform, too. */
function parentsOf(robot: Robot, j: number): number[] {
  const links = robot.joints.map((_, k) => k + 1).filter((k) => k !== j && legOf(robot, k) === legOf(robot, j));
  return [0, ...links, ...(robot.parallel && !isInLeg(robot, j) ? [robot.joints.length + 1] : [])];
}

function Parent({ robot, j }: { robot: Robot; j: number }) {
  return (
    <select className="parent" value={robot.joints[j - 1].parent} aria-label={`a(${j})`} onChange={(e) => documentActions.edit(withCell(robot, `joints.${j}.parent`, Number(e.target.value)), `joints.${j}.parent`)}>
      {parentsOf(robot, j).map((k) => <option key={k} value={k}>{k > robot.joints.length ? "P" : k}</option>)}
    </select>
  );
}

function Actions({ robot }: { robot: Robot }) {
  const say = useWords();
  const shown = robot.joints.some((j) => j.gamma.trim() !== "0" || j.b.trim() !== "0");
  const [removing, setRemoving] = useState(false);
  const removable = robot.joints.map((joint, k) => ({ joint, j: k + 1 })).filter(({ j }) => !isInLeg(robot, j));
  return (
    <div className="row-actions">
      <button type="button" onClick={() => documentActions.edit(addJoint(robot), "a joint")}><Icon name="plus" />{say("Joint")}</button>
      {!robot.parallel && <button type="button" onClick={() => documentActions.edit(cutLoop(robot), "a cut")}><Icon name="cut" />{say("Cut a loop")}</button>}
      <button type="button" onClick={() => (documentActions.edit(attachTool(robot), "a tool"), set({ table: "base" }))}>{say("Tool")}</button>
      <span className="gap" />
      {removable.length > 0 && (removing
        ? <select className="parent" aria-label={say("Remove this joint")} defaultValue="" onBlur={() => setRemoving(false)} onChange={(e) => (documentActions.edit(removeJoint(robot, Number(e.target.value)), `joint ${e.target.value}`), setRemoving(false))}>
            <option value="" disabled>–</option>{robot.joints.length > 1 && removable.map(({ joint, j }) => <option key={j} value={j}>{j} {joint.name}</option>)}
          </select>
        : <IconButton name="trash" label={say("Remove this joint")} onClick={() => setRemoving(true)} />)}
      {!shown && removable.length > 0 && <span className="quiet hidden-note"><Maths tex="\gamma_j, b_j" /> {say("hidden: all 0")}
        <button type="button" className="plain small" onClick={() => documentActions.edit(withCell(robot, `joints.${removable[0].j}.b`, `b${removable[0].j}`), `joints.${removable[0].j}.b`)} aria-label="b">+</button></span>}
    </div>
  );
}

function tableRows(robot: Robot, table: "inertia" | "drive", names: readonly string[]): GridRow[] {
  return robot.joints.slice(0, linkCount(robot)).map((joint, k) => ({
    key: String(k + 1), joint: k + 1, head: <JointName robot={robot} joint={joint} j={k + 1} />, cells: names.map((n) => `joints.${k + 1}.${table}.${n}`),
  }));
}

function Inertias({ robot }: { robot: Robot }) {
  const say = useWords();
  return <Grid label={say("Inertia")} head={say("link")} columns={INERTIA.map((n) => ({ key: n, title: n, tex: `\\mathrm{${n}}` }))} rows={tableRows(robot, "inertia", INERTIA)} />;
}

function Drives({ robot }: { robot: Robot }) {
  const say = useWords();
  const columns = [{ key: "motor", title: say("motor") }, ...DRIVE.map((n) => ({ key: n, title: n, tex: `\\mathrm{${n}}` })), { key: "lower", title: "q min", tex: "q_{\\min}" }, { key: "upper", title: "q max", tex: "q_{\\max}" }];
  const rows = tableRows(robot, "drive", DRIVE).map((row, k) => ({
    ...row,
    cells: [
      { node: <input type="checkbox" checked={robot.joints[k].actuated} disabled={robot.joints[k].kind === "fixed"} aria-label={say("Motor of joint {}", k + 1)} onChange={(e) => documentActions.edit(withCell(robot, `joints.${k + 1}.actuated`, e.target.checked), `joints.${k + 1}.actuated`)} /> },
      ...row.cells, `joints.${k + 1}.limits.lower`, `joints.${k + 1}.limits.upper`,
    ],
  }));
  return <Grid label={say("Drives")} head={say("joint")} columns={columns} rows={rows} />;
}

function BaseTable({ robot }: { robot: Robot }) {
  const say = useWords();
  const axes = ["x", "y", "z"];
  return (
    <div className="base-table">
      {!robot.parallel && <label className="field">{say("Base")} <select value={robot.base.kind} onChange={(e) => documentActions.edit(withCell(robot, "base.kind", e.target.value), "base.kind")}>
        {["fixed", "moving", "floating", "mobile"].map((k) => <option key={k} value={k}>{say(k)}</option>)}</select></label>}
      <Grid label={say("gravity")} head="" columns={axes.map((a) => ({ key: a, title: a, tex: `${a}_0` }))} rows={[{ key: "g", head: <Maths tex="g" label={say("gravity")} />, cells: [0, 1, 2].map((k) => `gravity.${k}`) }]} />
      {robot.frames.length > 0 && <Grid label={say("Tool")} head={say("Tool")} columns={axes.map((a) => ({ key: a, title: a, tex: `P_${a}` }))}
        rows={robot.frames.filter((f) => f.pose).map((f) => { const k = robot.frames.indexOf(f) + 1; return { key: f.name, head: <span className="joint-name">{f.name} <span className="quiet">{say("link")} {f.link}</span>
          {!isOfLeg(robot, f.name) && <IconButton name="trash" label={`${f.name}`} onClick={() => documentActions.edit({ ...robot, frames: robot.frames.filter((x) => x !== f) }, f.name)} />}</span>, cells: [0, 1, 2].map((i) => `frames.${k}.pose.${i}.3`) }; })} />}
    </div>
  );
}

function LoopTable({ robot }: { robot: Robot }) {
  const say = useWords();
  if (!robot.cuts.length) return <p className="quiet pad">{say("No cut. A loop is cut at a passive joint; its two halves are aligned frames.")}</p>;
  return <ul className="plain-list">{robot.cuts.map((cut) => <li key={cut.joint}>{say("Joint")} {cut.joint} ({robot.joints[cut.joint - 1]?.name}) – {cut.mate} ({robot.joints[cut.mate - 1]?.name})
    <IconButton name="trash" label={say("Remove this joint")} onClick={() => documentActions.edit(removeJoint(robot, cut.joint), "cut")} /></li>)}</ul>;
}

/** Problems that no cell on the page shows. */
function OtherProblems() {
  const say = useWords();
  const problems = useStore((s) => s.checked.problems);
  const table = useStore((s) => s.table);
  const robot = useStore((s) => s.robot)!;
  const other = problems.filter((p) => p.severity === "error" && !(tabOf(p.path) === table && isCell(robot, p.path)));
  if (!other.length) return null;
  return <ul className="problems" role="alert">{other.slice(0, 4).map((p, k) => <li key={k}><Icon name="warning" />{p.joint ? `${say("Joint")} ${p.joint}: ` : ""}{p.brief}</li>)}</ul>;
}

// joints

const torquesOf = (s: State) => s.results.find((r) => r.entry.name === "inverse_dynamics" && r.runner) ?? null;

export function Joints() {
  const say = useWords();
  const robot = useStore((s) => s.robot)!;
  const message = useStore((s) => s.loopMessage);
  const closer = useStore((s) => s.closer);
  const torques = useStore(torquesOf);
  const [order, setOrder] = useState<"q" | "qd" | "qdd">("q");
  const rows = robot.joints.slice(0, linkCount(robot)).map((joint, k) => ({ joint, j: k + 1 })).filter(({ joint, j }) => joint.variable && (joint.actuated || !isInLeg(robot, j)));
  const passive = ({ joint, j }: { joint: Joint; j: number }) => isInLeg(robot, j) || (robot.cuts.length > 0 && !joint.actuated);
  return (
    <section className="joints" aria-label={say("Joints")}>
      <div className="section-head"><h3>{say(rows.every(({ j }) => isInLeg(robot, j)) ? "Motors" : "Joints")}</h3>
        {robot.cuts.length > 0 && (message ? <span className="badge error"><Icon name="warning" />{say(message)}</span> : closer && <span className="badge good"><Icon name="check" />{say("Loop closed")}</span>)}
        <div className="switch maths-switch" role="group" aria-label="q, q̇, q̈">
          {([["q", "q"], ["qd", "\\dot q"], ["qdd", "\\ddot q"]] as const).map(([key, tex]) => <button key={key} type="button" aria-pressed={order === key} onClick={() => setOrder(key)}><Maths tex={tex} label={key} /></button>)}
        </div>
        {torques && <span className="quiet units"><Maths tex="\Gamma" /> N·m</span>}
      </div>
      {[...rows.filter((r) => !passive(r)), ...rows.filter(passive)].map(({ joint, j }) => <Slider key={j} joint={joint} j={j} order={order} follows={passive({ joint, j })} />)}
    </section>
  );
}

/** A variable with dots over its letter. */
const rateTex = (tex: string, dots: string) => (/^q(_|$)/.test(tex) ? `${dots}{q}${tex.slice(1)}` : `${dots}{${tex}}`);

const Slider = memo(function Slider({ joint, j, order, follows }: { joint: Joint; j: number; order: "q" | "qd" | "qdd"; follows: boolean }) {
  const say = useWords();
  const name = joint.variable!;
  const value = useStore((s) => s[order][name] ?? 0);
  const robot = useStore((s) => s.robot)!;
  const turning = joint.kind === "revolute";
  const [low, high] = order === "q" ? rangeOf(robot, joint) : [-3, 3];
  const scale = turning && order === "q" ? 180 / Math.PI : 1;
  const unit = order === "q" ? (turning ? "°" : " m") : "";
  const change = (x: number) => Number.isFinite(x) && (order === "q" ? motionActions.move({ [name]: x }) : set((s) => ({ [order]: { ...s[order], [name]: x } }) as Partial<State>));
  const part = (x: number) => `${(100 * (x - low)) / (high - low || 1)}%`;
  const zero = Math.max(low, Math.min(high, 0));
  return (
    <div className={follows ? "slider follows" : "slider"} style={{ "--joint": jointColour(j) } as React.CSSProperties} {...viewActions.lit(name)}>
      <span className="slider-name"><Maths tex={order === "q" ? nameTex(name) : rateTex(nameTex(name), order === "qd" ? "\\dot" : "\\ddot")} /></span>
      <span className="track">
        <i className="fill" style={{ left: part(Math.min(zero, value)), right: `calc(100% - ${part(Math.max(zero, value))})` }} /><i className="zero-mark" style={{ left: part(zero) }} />
        <input type="range" min={low} max={high} step="any" value={value} disabled={follows} aria-label={`${name} ${joint.name}`} aria-valuetext={`${shownNumber(value * scale, 1)}${unit}`} onChange={(e) => change(Number(e.target.value))}
          onFocus={() => viewActions.link(name)} onBlur={() => viewActions.link(null)}
          onKeyDown={(e) => { const steps: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }; const step = steps[e.key]; if (step) { e.preventDefault(); change(Math.max(low, Math.min(high, value + (step * (turning ? Math.PI / 180 : 0.001)) * (e.shiftKey ? 10 : 1)))); } }} />
      </span>
      <NumberField value={value * scale} digits={turning && order === "q" ? 1 : 3} unit={unit} disabled={follows} label={`${name}`} onChange={(x) => change(x / scale)} />
      {follows && !joint.actuated ? <span className="quiet follow-word">{say("follows")}</span> : <Torque j={j} />}
    </div>
  );
});

function Torque({ j }: { j: number }) {
  const node = useRef<HTMLSpanElement>(null);
  const torques = useStore(torquesOf);
  const wrong = useStore((s) => s.checked.problems.some((p) => p.severity === "error"));
  useEffect(() => {
    const draw = () => {
      if (!node.current) return;
      const result = torquesOf(get());
      if (!result || wrong) return void (node.current.textContent = result ? "–" : "");
      valuesOf(result);
      const links = new Map(result.data!.symbols.map((symbol) => [symbol.name, symbol.link]));
      const k = result.data!.outputs.find((o) => o.name === "GAM")?.names.findIndex((name) => links.get(name) === j) ?? -1;
      node.current.textContent = k < 0 ? "" : shownNumber(result.runner!.output("GAM")[k], 2);
    };
    draw();
    return onValues(draw);
  }, [j, torques, wrong]);
  return <span ref={node} className="torque digits" />;
}

// symbols

export function Symbols() {
  const say = useWords();
  const robot = useStore((s) => s.robot)!;
  const [open, setOpen] = useState(false);
  const variables = new Set(robot.joints.map((j) => j.variable));
  const found = new Set<string>();
  robot.joints.forEach((joint) => ["gamma", "b", "alpha", "d", "theta", "r"].forEach((p) => symbolsOf(parse((joint as any)[p]), found)));
  robot.gravity.forEach((text) => symbolsOf(parse(text), found));
  const first = [...found].filter((name) => !variables.has(name));
  const others = new Set<string>();
  robot.joints.forEach((joint) => [joint.inertia, joint.drive].forEach((table) => Object.values(table).forEach((text) => symbolsOf(parse(text), others))));
  const more = [...others].filter((name) => !found.has(name) && !variables.has(name));
  return (
    <section className="symbols" aria-label={say("Symbols")}>
      <div className="section-head"><h3>{say("Symbols")}</h3><span className="quiet">{say("of the geometry and gravity")}</span></div>
      <div className="chips">
        {first.map((name) => <Chip key={name} name={name} />)}
        {more.length > 0 && <button type="button" className="chip dashed" aria-expanded={open} onClick={() => setOpen(!open)}>{more.length} {say("inertial")}<Icon name="down" /></button>}
        {open && more.map((name) => <Chip key={name} name={name} />)}
      </div>
    </section>
  );
}

const Chip = memo(function Chip({ name }: { name: string }) {
  const say = useWords();
  const robot = useStore((s) => s.robot)!;
  const lit = useStore((s) => s.linked.symbol === name || (s.linked.cell !== null && s.robot !== null && cellHas(s, name)));
  const text = robot.values[name] ?? "";
  const [draft, setDraft] = useState<string | null>(null);
  const commit = () => {
    if (draft === null) return;
    setDraft(null);
    if (draft.trim() !== text) documentActions.setValue(name, draft.trim());
  };
  return (
    <label className={lit ? "chip lit" : "chip"} {...viewActions.lit(name)}>
      <Maths tex={nameTex(name)} />
      <input value={draft ?? text} placeholder="–" aria-label={say("value of {}", name)} size={Math.max(3, (draft ?? text).length)} maxLength={60} onChange={(e) => setDraft(e.target.value)} onBlur={commit}
        onFocus={() => viewActions.link(name)} onKeyDown={(e) => { if (e.key === "Enter") commit(); if (e.key === "Escape") setDraft(null); }} />
      <span className="unit">{/^G\d$/.test(name) ? "m/s²" : /^[DRLbdr]/.test(name) && !/^(FV|FS|IA)/.test(name) ? "m" : ""}</span>
    </label>
  );
});

const cellHas = (s: State, name: string): boolean => symbolsOf(parse(cellText(s.robot!, s.linked.cell!))).has(name);

// structure

export function Structure() {
  const say = useWords();
  const robot = useStore((s) => s.robot)!;
  const structure = useStore((s) => s.structure);
  const pairs = robot.joints.slice(1, linkCount(robot)).map((joint, k) => ({ joint, j: k + 2 })).filter(({ joint }) => joint.alpha.trim() === "0" && joint.gamma.trim() === "0" && joint.parent > 0 && joint.parent <= robot.joints.length && joint.kind !== "fixed");
  if (!structure && !pairs.length) return null;
  return (
    <section className="structure" aria-label={say("Structure")}>
      <div className="section-head"><h3>{say("Structure")}</h3><span className="quiet">{say("found in the table")}</span></div>
      <ul>
        {pairs.slice(0, 3).map(({ joint, j }) => <li key={j}><Icon name="check" /><span>{say("Axes {} and {} are", joint.parent, j)} <b>{say("parallel")}</b></span></li>)}
        {structure?.mobility && <li><Icon name="check" /><span>{structure.mobility}</span></li>}
        {structure?.problems?.map((text) => <li key={text}><Icon name="warning" /><span>{text}</span></li>)}
        {structure?.triples.slice(0, 2).map((triple) => <li key={triple.joints.join()}><Icon name="check" /><span>{say(TRIPLES[triple.what], `${triple.joints[0]}, ${triple.joints[1]} ${say("and")} ${triple.joints[2]}`)} {triple.what === "point" && <b>{say("spherical wrist")}</b>}{triple.what === "point" && ", "}
          <button type="button" className="link" onClick={() => resultActions.openModel("inverse_geometry")}>{say("Inverse geometric model").toLowerCase()}</button></span></li>)}
        {structure?.base && <li><Icon name="check" /><span><b>{structure.base.count} {say("base parameters")}</b> {say("of")} {structure.base.standard}, <button type="button" className="link" onClick={() => resultActions.openModel("dynamic_regressor", { params: "base" })}>{structure.base.standard - structure.base.count} {say("have no effect or regroup")}</button></span></li>}
      </ul>
    </section>
  );
}

const TRIPLES = { point: "Axes {} meet:", parallel: "Parallel are the axes {}", prismatic: "Prismatic are the joints {}" };
