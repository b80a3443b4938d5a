import { useEffect, useReducer } from "react";
import * as motionActions from "./actions/motion";
import * as resultActions from "./actions/result";
import { type Branch, branchesOf, colourOfBranch } from "./branches";
import { fromRpy, origin, rpy } from "./geometry";
import { Icon } from "./icons";
import { onValues } from "./live";
import { Maths } from "./maths";
import { evaluate, nameTex, parse } from "./expression";
import { PoseSlider } from "./freebase";
import { NumberField } from "./numberfield";
import { numbersOf } from "./robot";
import { type Result, shownResult } from "./state/result";
import { get, set, useStore } from "./store";
import { useWords } from "./words";

/** The wanted pose, typed or taken from the joints. */
export function Target() {
  const say = useWords();
  const target = useStore((s) => s.target);
  const dragging = useStore((s) => s.dragging);
  if (!target) return null;
  const p = origin(target);
  const angles = rpy(target);
  const degrees = 180 / Math.PI;
  const setPosition = (k: number, x: number) => motionActions.moveTarget(p.map((old, i) => (i === k ? x : old)) as [number, number, number], null);
  const setAngle = (k: number, x: number) => set({ target: fromRpy(p, angles.map((old, i) => (i === k ? x / degrees : old)) as [number, number, number]) });
  return (
    <section className="target" aria-label={say("Target pose")}>
      <div className="section-head"><h3>{say("Target pose")} <Maths tex="{}^0T" /></h3></div>
      <div className="target-fields">
        {["x", "y", "z"].map((a, k) => <label key={a}><Maths tex={`P_${a}`} /><NumberField value={p[k]} digits={4} unit="" label={`P${a}`} onChange={(x) => setPosition(k, x)} /></label>)}
        {["roll", "pitch", "yaw"].map((a, k) => <label key={a}>{say(a)}<NumberField value={angles[k] * degrees} digits={1} unit="°" label={a} onChange={(x) => setAngle(k, x)} /></label>)}
      </div>
      <GivenJoints />
      <div className="actions">
        <button type="button" aria-pressed={dragging} onClick={() => set({ dragging: !dragging })}><Icon name="frames" />{say("Drag in the view")}</button>
        <button type="button" className="plain" onClick={motionActions.setTargetFromJoints}>{say("Set from the joints")}</button>
      </div>
    </section>
  );
}

/** What an arm with more than six joints is given beside its pose: a choice and a slider; the branches follow. */
function GivenJoints() {
  const say = useWords();
  const result = useStore(shownResult);
  const given = useStore((s) => s.given);
  const inverse = result?.data?.inverse;
  if (!result || !inverse?.needed) return null;
  const joints = result.robot.joints.map((joint, k) => ({ joint, j: k + 1 })).filter(({ joint }) => joint.variable);
  const chosen = inverse.given.map((one) => one.joint ?? "arm").join(",");
  const one = inverse.needed === 1;
  return (
    <div className="given">
      {one && <label className="option">
        <span className="quiet">{say("Given")}</span>
        <select value={chosen} aria-label={say("Given")} disabled={result.state === "running"} onChange={(e) => resultActions.setOption(result.id, "redundant", e.target.value)}>
          {inverse.arm_angle && <option value="arm">{say("arm angle")} ψ</option>}
          {joints.map(({ joint, j }) => <option key={j} value={String(j)}>{joint.variable} {joint.name}</option>)}
        </select>
        <Icon name="down" />
      </label>}
      {!one && <p className="quiet">{say("A pose determines six joints: {} are given.", inverse.needed)}</p>}
      {inverse.given.map(({ joint, name }, k) => (
        <PoseSlider key={name} name={joint ? name : "ψ"} what={say("Given")} value={given[k] ?? 0} turning={!joint || result.robot.joints[joint - 1].kind === "revolute"} low={joint ? limit(result, joint, "lower", -1) : -Math.PI} high={joint ? limit(result, joint, "upper", 1) : Math.PI}
          onChange={(x) => set({ given: inverse.given.map((_, i) => (i === k ? x : (given[i] ?? 0))) })} />
      ))}
    </div>
  );
}

/** A limit of a joint's slider: its own, else half a turn, or a metre. */
function limit(result: Result, j: number, which: "lower" | "upper", sign: 1 | -1): number {
  const joint = result.robot.joints[j - 1];
  const number = evaluate(parse(joint.limits[which] ?? ""), numbersOf(result.robot));
  return Number.isFinite(number) ? number : sign * (joint.kind === "revolute" ? Math.PI : 1);
}

export function Branches({ result }: { result: Result }) {
  const say = useWords();
  const [, again] = useReducer((k: number) => k + 1, 0);
  const target = useStore((s) => s.target);
  const numeric = useStore((s) => s.numeric);
  const byNumbers = Boolean(result.data?.inverse?.numeric);
  const values = useStore((s) => s.robot?.values);
  const given = useStore((s) => s.given);
  const waits = byNumbers && (numeric?.target !== target || numeric?.given !== given || numeric?.values !== values);
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => void motionActions.solveTarget(), 150);
    return () => clearTimeout(timer);
  }, [waits, target, given, values]);
  const chosen = useStore((s) => s.branch);
  const shown = useStore((s) => s.branches);
  const theme = useStore((s) => s.theme);
  useEffect(() => onValues(again), []);
  const branches = branchesOf(result);
  const valid = branches.filter((b) => b.valid);
  const best = Math.min(...valid.map((b) => b.distance));
  const groups = [...new Set(valid.map((b) => b.group))].sort((a, b) => nearest(valid, a) - nearest(valid, b));
  const select = (b: Branch) => (motionActions.glide(b.q), set({ branch: b.number }));
  useEffect(() => {
    const step = (event: Event) => {
      const all = branchesOf(result).filter((b) => b.valid);
      const at = all.findIndex((b) => b.number === get().branch);
      if (all.length) select(all[(at + (event as CustomEvent).detail + all.length) % all.length]);
    };
    addEventListener("symoro-branch", step);
    return () => removeEventListener("symoro-branch", step);
  }, [result]);
  const names = result.data?.inverse?.joints.map((j) => result.robot.joints[j - 1].variable ?? "") ?? [];
  const worst = Math.max(0, ...valid.map((b) => b.error).filter(Number.isFinite));
  return (
    <div className="branches scroll" tabIndex={0} aria-label={say("Branches")}>
      <table>
        <thead><tr><th><span className="unseen">{say("choose")}</span></th>{names.map((n) => <th key={n}><Maths tex={nameTex(n)} label={n} /></th>)}<th>{say("to now")}</th></tr></thead>
        {groups.map((g) => (
          <tbody key={g}>
            <tr className="group"><th colSpan={names.length + 2} scope="rowgroup"><i className="square" style={{ background: colourOfBranch(g, theme) }} />{say("Branches")} {valid.filter((b) => b.group === g).map((b) => b.number + 1).join(", ")}</th></tr>
            {valid.filter((b) => b.group === g).map((b) => (
              <tr key={b.number} className={b.number === chosen || (chosen === null && b.distance === best && best < 0.02) ? "branch on" : "branch"} onClick={() => select(b)}>
                <td><input type="radio" name={`branch-${result.id}`} checked={b.number === chosen || (chosen === null && b.distance === best && best < 0.02)} aria-label={`${say("Branches")} ${b.number + 1}`} onChange={() => select(b)} /></td>
                {names.map((n, k) => <td key={n} className="digits">{result.robot.joints[result.data!.inverse!.joints[k] - 1].kind === "revolute" ? ((b.q[n] * 180) / Math.PI).toFixed(1) : b.q[n].toFixed(3)}</td>)}
                <td className="digits quiet">{b.distance < 0.002 ? say("now") : `${((b.distance * 180) / Math.PI).toFixed(0)}°`}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      <div className="branch-foot" role="status">
        {byNumbers && (waits || !numeric)
          ? <span className="badge">{say("solved by numbers")} …</span>
          : <span className={valid.length ? "badge good" : "badge error"}>{valid.length} {byNumbers ? "" : `${say("of")} ${branches.length} `}{say("branches")}</span>}
        {byNumbers && numeric && !waits && <span className="quiet">{numeric.message ? numeric.message : `${say("general method, by numbers")}: ${say(numeric.found!.status)}`}</span>}
        {byNumbers ? null : valid.length ? <span className="quiet">{say("each checked, pose error below")} {worst > 0 ? worst.toExponential(0) : "1e-16"}</span> : <span className="quiet">{say("not reachable")}</span>}
        <span className="gap" />
        <div className="switch" role="group"><button type="button" aria-pressed={shown === "all"} onClick={() => set({ branches: "all" })}>{say("All")}</button><button type="button" aria-pressed={shown === "one"} onClick={() => set({ branches: "one" })}>{say("One")}</button></div>
      </div>
      <Derivation result={result} />
    </div>
  );
}

const nearest = (branches: Branch[], group: number) => Math.min(...branches.filter((b) => b.group === group).map((b) => b.distance));

function Derivation({ result }: { result: Result }) {
  const say = useWords();
  const inverse = result.data?.inverse;
  if (!inverse) return null;
  return (
    <section className="derivation">
      <div className="section-head"><h3>{say("Derivation")}</h3><span className="quiet">{inverse.numeric ? `${say("at most")} ${inverse.branches} ${say("branches")}` : `${inverse.steps.length} ${say("steps")}, ${inverse.steps.map((s) => s.branches).join(" × ")} = ${inverse.branches} ${say("branches")}`}</span></div>
      <ol>
        {inverse.steps.map((step) => (
          <li key={step.number}>
            {inverse.numeric ? <p className="general-step"><span className="step-number">{step.number}</span> {step.source}</p> : <><details>
              <summary><span className="step-number">{step.number}</span><Maths tex={step.unknowns.map((u) => nameTex(u)).join(",\\ ")} label={step.unknowns.join(", ")} /> <span className="quiet">{say("type")} {say(step.type)}</span><span className="gap" /><span className="quiet">{step.branches} {step.branches > 1 ? say("branches") : say("solution")}</span></summary>
              <p className="quiet">{step.source}</p>
              <pre>{step.equation}{"\n"}{Object.entries(step.coefficients).map(([n, x]) => `  ${n} = ${x}`).join("\n")}{"\n"}{step.solution}</pre>
              <p className="quiet">{step.degenerate}</p>
            </details>
            <code className="step-equation">{step.equation}</code></>}
          </li>
        ))}
      </ol>
    </section>
  );
}
