// The motion dock: a motion from a start to the configuration of the sliders, exact or simulated; play it, scrub the time.

import { useEffect, useMemo, useRef, useState } from "react";
import * as motionActions from "./actions/motion";
import * as resultActions from "./actions/result";
import { motors } from "./actions/motion";
import { Icon, IconButton } from "./icons";
import { type Curve, Plot } from "./plot";
import { NumberField } from "./numberfield";
import { poseOfFree } from "./free";
import { POSE_NAMES, atHome, coordinatesOf } from "./platform";
import { cancelRun, durationOf, hereOf, isLive, named, runKey, simulate, stateAt } from "./run";
import { type Configuration, LAWS, PROFILES, type RunData, type Scenario } from "./state/motion";
import { type State, get, set, useStore } from "./store";
import { useWords } from "./words";

const SAMPLES = 61;

/** The quintic profile (K13:8.11-8.13): r, its velocity and its acceleration at time t. */
function quintic(t: number, T: number): [number, number, number] {
  const s = t / T;
  return [s ** 3 * (10 + s * (-15 + 6 * s)), (30 * s ** 2 * (1 + s * (-2 + s))) / T, (60 * s * (1 + s * (-3 + 2 * s))) / T ** 2];
}

const torquesOf = (s: State) => s.results.find((r) => r.entry.name === "inverse_dynamics" && r.runner) ?? null;
type What = "torques" | "errors" | "positions";

export function Motion({ open = false }: { open?: boolean }) {
  const say = useWords();
  const closed = useStore((s) => s.folded.dock) && !open;
  const robot = useStore((s) => s.robot)!;
  const closer = useStore((s) => s.closer);
  const scenario = useStore((s) => s.scenario);
  const run = useStore((s) => s.run);
  const q = useStore((s) => s.q);
  const platform = useStore((s) => s.platform);
  const here = useMemo(() => hereOf({ robot, q, platform }), [robot, q, platform]);
  const [end, setEnd] = useState<Configuration>({});
  const [time, setTime] = useState<number | null>(null);
  const [playing, setPlaying] = useState(false);
  const [again, setAgain] = useState(false);
  const [what, setWhat] = useState<What>("torques");
  const [speed, setSpeed] = useState(1);
  const names = useMemo<readonly string[]>(() => [...(robot.parallel ? POSE_NAMES : []), ...motors(robot)], [robot]);
  const settled = useSettled(here);
  const goal = time === null ? settled : end;
  const loops = robot.cuts.length > 0;
  const start = useMemo<Configuration>(
    () => scenario.start ?? (loops && closer ? closer.start : { ...Object.fromEntries(names.map((n) => [n, 0])), ...(robot.parallel ? named(atHome(robot)) : {}) }),
    [names, robot, closer, loops, scenario.start],
  );
  const live = isLive(scenario, Boolean(robot.parallel));
  const data = live ? null : (run?.data ?? null);
  const wanted = Object.fromEntries(names.map((n) => [n, goal[n] ?? 0]));
  const older = data !== null && run!.key !== runKey(scenario, start, wanted);
  const duration = data ? durationOf(data) : scenario.duration;
  const last = useRef({ time, end, data, duration, start, names, moved: null as object | null });
  Object.assign(last.current, { time, end, data, duration, start, names });

  const goTo = (t: number) => {
    const now = last.current;
    if (now.time === null) {
      now.end = { ...hereOf(get()) };
      setEnd(now.end);
    }
    now.time = t;
    setTime(t);
    if (now.data) {
      const { free, twist, ...at } = stateAt(now.data, t);
      set({ qd: at.qd, qdd: at.qdd, q: { ...get().q, ...at.q }, ...(free && !twist ? { free } : {}) });
      if (free && twist) motionActions.movePlatform(coordinatesOf(robot, poseOfFree(free)), twist);
    } else {
      const [r, v, a] = quintic(t, now.duration);
      const span = (n: string) => (now.end[n] ?? 0) - (now.start[n] ?? 0);
      const each = (f: (n: string) => number) => Object.fromEntries(now.names.map((n) => [n, f(n)]));
      set({ qd: each((n) => v * span(n)), qdd: each((n) => a * span(n)) });
      const pose = each((n) => (now.start[n] ?? 0) + r * span(n));
      if (loops) motionActions.move(pose);
      else motionActions.pose(pose);
    }
    now.moved = get().q;
  };
  useEffect(() => { // a slider that is moved by hand is the end of a new motion
    if (time !== null && !playing && last.current.moved && get().q !== last.current.moved) setTime(null);
  }, [here, time, playing]);
  useEffect(() => {
    if (!playing) return;
    let frame = 0;
    let before = performance.now();
    let t = (last.current.time ?? Infinity) >= last.current.duration ? 0 : last.current.time!;
    const step = (now: number) => {
      const T = last.current.duration;
      t += ((now - before) / 1000) * speed;
      before = now;
      if (t >= T && !again) return goTo(T), setPlaying(false);
      if (t >= T) t = 0;
      goTo(t);
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing, again, speed]);
  useEffect(() => {
    const toggle = () => setPlaying((p) => !p);
    const compute = () => void simulate(last.current.start, Object.fromEntries(last.current.names.map((n) => [n, (last.current.time === null ? hereOf(get()) : last.current.end)[n] ?? 0])));
    const arrived = () => {
      if (last.current.time === null) setEnd((last.current.end = { ...hereOf(get()) }));
      setTime((last.current.time = 0));
      setPlaying(true);
    };
    const events: [string, () => void][] = [["symoro-play", toggle], ["symoro-simulate", compute], ["symoro-run", arrived]];
    events.forEach(([name, f]) => addEventListener(name, f));
    return () => events.forEach(([name, f]) => removeEventListener(name, f));
  }, []);
  useEffect(() => (setTime(null), setPlaying(false)), [robot.name]);
  const torques = useStore(torquesOf);
  const times = useMemo(() => (data ? data.t : Array.from({ length: SAMPLES }, (_, k) => (duration * k) / (SAMPLES - 1))), [data, duration]);
  const curves = useMemo(() => (closed || !(live || data) ? [] : data ? runCurves(data, what) : liveCurves(what, times, start, goal)), [closed, live, data, what, times, start, goal, torques, robot]);
  const tabs: [What, string][] = [["torques", "Torques"], ...(data && scenario.law !== "exact" ? [["errors", "Errors"] as [What, string]] : []), ["positions", "Positions"]];
  const at = time ?? duration;
  return (
    <section className={closed ? "motion closed" : "motion"} aria-label={say("Motion")}>
      <div className="motion-head">
        {!open && <button type="button" className="plain" aria-label={say("Motion")} aria-expanded={!closed} onClick={() => set((s) => ({ folded: { ...s.folded, dock: !s.folded.dock } }))}><span className={closed ? "chevron" : "chevron open"}><Icon name="right" /></span></button>}
        <h3>{say("Motion")}</h3><span className="quiet">{say(scenario.profile)}, {duration.toFixed(1)} s</span><span className="gap" />
        {!closed && <div className="switch" role="group" aria-label={say("Curves")}>{tabs.map(([key, title]) => <button key={key} type="button" aria-pressed={what === key} onClick={() => setWhat(key)}>{say(title)}</button>)}</div>}
      </div>
      {!closed && (
        <>
          <Choices scenario={scenario} live={live} older={older || (!live && !data)} />
          <div className="transport">
            <button type="button" className="play" aria-label={say(playing ? "pause" : "play")} disabled={!live && !data} onClick={() => setPlaying(!playing)}><Icon name={playing ? "pause" : "play"} /></button>
            <IconButton name="repeat" label={say("repeat")} aria-pressed={again} onClick={() => setAgain(!again)} />
            <input type="range" className="scrub" min={0} max={duration} step="any" value={Math.min(at, duration)} aria-label={say("time")} aria-valuetext={`${at.toFixed(2)} s`} disabled={!live && !data} onChange={(e) => (setPlaying(false), goTo(Number(e.target.value)))} />
            <span className="digits">{Math.min(at, duration).toFixed(2)} / {duration.toFixed(2)} s</span>
            <select className="speed" aria-label={say("speed")} value={speed} onChange={(e) => setSpeed(Number(e.target.value))}>{[0.1, 0.25, 0.5, 1, 2].map((x) => <option key={x} value={x}>{x}×</option>)}</select>
          </div>
          {curves.length > 0 && <Plot curves={curves} times={times} time={at} unit={unitOf(live && !torques ? "positions" : what, data, robot.joints.filter((j) => j.variable).every((j) => j.kind === "revolute"))} />}
          {live && what === "torques" && !torques && <p className="plot-note"><button type="button" className="link" onClick={() => resultActions.openModel("inverse_dynamics")}>{say("Show the inverse dynamic model to see torques.")}</button></p>}
          {!live && run?.state === "failed" && <p className="plot-note error-text" role="alert"><Icon name="warning" />{run.message}</p>}
          {!live && data?.stopped && <p className="plot-note error-text" role="alert"><Icon name="warning" />{data.stopped}</p>}
        </>
      )}
    </section>
  );
}

const unitOf = (what: What, data: RunData | null, turns: boolean) => {
  const all = data ? data.motors.every((m) => m.turns) : turns;
  return what === "torques" ? (all ? "N·m" : "N·m, N") : all ? "rad" : "rad, m";
};

function runCurves(data: RunData, what: What): Curve[] {
  const rows = what === "torques" ? data.tau : what === "errors" ? data.error : data.q;
  if (what === "positions") return data.names.map((name, k) => ({ name, j: Number(/\d+$/.exec(name)?.[0] ?? k + 1), points: rows.map((r) => r[k]) }));
  return data.motors.map((m, k) => ({ name: `${what === "torques" ? "Γ" : "e"}${m.label}`, j: m.joint, points: rows.map((r) => r[k]) }));
}

/** Positions and torques of the quintic motion, by the inverse dynamic model where it is open. */
function liveCurves(what: What, times: number[], start: Configuration, goal: Configuration): Curve[] {
  const { robot, closer } = get();
  const torques = torquesOf(get());
  const names = motors(robot!);
  const T = times[times.length - 1];
  const span = (n: string) => (goal[n] ?? 0) - (start[n] ?? 0);
  const each = (f: (n: string) => number) => Object.fromEntries(names.map((n) => [n, f(n)]));
  const rows = times.map((t) => quintic(t, T));
  const poses = rows.map(([r]) => each((n) => (start[n] ?? 0) + r * span(n)));
  if (what !== "torques" || !torques) return names.map((n) => ({ name: n, j: robot!.joints.findIndex((x) => x.variable === n) + 1, points: poses.map((p) => p[n]) }));
  const values = { ...torques.robot, values: robot!.values };
  let at: Configuration = { ...get().q, ...start };
  const GAM = rows.map(([, v, a], k) => {
    if (robot!.cuts.length && closer) at = closer.close({ ...at, ...poses[k] }, at) ?? at;
    torques.runner!.run(motionActions.givenAt(values, robot!.cuts.length ? at : poses[k], each((n) => v * span(n)), each((n) => a * span(n))));
    return torques.runner!.output("GAM");
  });
  return torques.data!.outputs.find((o) => o.name === "GAM")!.names.map((name, k) => ({ name: name.replace("GAM", "Γ"), j: Number(/\d+$/.exec(name)?.[0] ?? k + 1), points: GAM.map((r) => r[k]) }));
}

/** What is wanted: profile, duration, controller, and the start. */
function Choices({ scenario, live, older }: { scenario: Scenario; live: boolean; older: boolean }) {
  const say = useWords();
  const run = useStore((s) => s.run);
  const change = (more: Partial<Scenario>) => set({ scenario: { ...scenario, ...more } });
  const between = (x: number, low: number, high: number) => Math.max(low, Math.min(high, Number.isFinite(x) ? x : low));
  const controlled = scenario.law !== "exact";
  const running = !live && run?.state === "running";
  return (
    <div className="choices">
      <Choice label={say("Controller")} value={scenario.law} all={LAWS.map(([key, title]) => [key, say(title)])} onChange={(law) => change({ law: law as Scenario["law"] })} />
      <Choice label={say("Profile")} value={scenario.profile} all={PROFILES.map((p) => [p, say(p)])} onChange={(p) => change({ profile: p as Scenario["profile"] })} />
      <label className="option"><NumberField value={scenario.duration} digits={2} unit=" s" label={say("duration")} onChange={(x) => change({ duration: between(x, 0.05, 20) })} /></label>
      {controlled && <label className="option" title={say("frequency of the controller")}>ω<NumberField value={scenario.frequency} digits={0} unit=" rad/s" label={say("frequency of the controller")} onChange={(x) => change({ frequency: between(x, 0.1, 500) })} /></label>}
      {controlled && <label className="option" title={say("how far from the start the motors begin")}>{say("off by")}<NumberField value={scenario.offset} digits={3} unit="" label={say("how far from the start the motors begin")} onChange={(x) => change({ offset: between(x, -1, 1) })} /></label>}
      <button type="button" className="option" aria-pressed={scenario.start !== null} onClick={() => change({ start: scenario.start ? null : { ...hereOf(get()) } })}>{say(scenario.start ? "Start: chosen" : "Start here")}</button>
      {!live && !running && <button type="button" className={older ? "primary small" : "small"} onClick={() => dispatchEvent(new Event("symoro-simulate"))}>{say("Simulate")}</button>}
      {running && <span className="running-run" role="status"><span className="quiet">{(run.job?.stages.length ? say(run.job.stages.slice(-1)[0].text) : null) ?? say("running")}</span><button type="button" className="small" onClick={cancelRun}>{say("Cancel")}</button></span>}
      {!live && older && run?.data && !running && <span className="quiet older">{say("of the configuration before")}</span>}
    </div>
  );
}

function Choice({ label, value, all, onChange }: { label: string; value: string; all: (readonly [string, string])[]; onChange: (key: string) => void }) {
  return (
    <label className="option">
      <select aria-label={label} value={value} onChange={(e) => onChange(e.target.value)}>{all.map(([key, title]) => <option key={key} value={key}>{title}</option>)}</select>
      <Icon name="down" />
    </label>
  );
}

/** A value that follows when it has been at rest: curves are not computed anew while a slider moves. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 120);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
