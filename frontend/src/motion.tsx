// A quick motion from the zero configuration to the one of the sliders: play it, scrub the time, see torques.

import { useEffect, useMemo, useRef, useState } from "react";
import * as act from "./actions";
import { Icon, IconButton } from "./icons";
import { motors } from "./actions";
import { type State, get, set, useStore } from "./store";
import { jointColour } from "./theme";
import { useWords } from "./words";

const DURATION = 1.2;
const SAMPLES = 61;
const WIDTH = 460;
const HEIGHT = 132;

/** The quintic profile (K13 § motion): r, its velocity and its acceleration at time t. */
function quintic(t: number): [number, number, number] {
  const s = t / DURATION;
  return [s ** 3 * (10 + s * (-15 + 6 * s)), (30 * s ** 2 * (1 + s * (-2 + s))) / DURATION, (60 * s * (1 + s * (-3 + 2 * s))) / DURATION ** 2];
}

const torquesOf = (s: State) => s.results.find((r) => r.entry.name === "inverse_dynamics" && r.runner) ?? null;

export function Motion({ open = false }: { open?: boolean }) {
  const say = useWords();
  const closed = useStore((s) => s.folded.dock) && !open;
  const robot = useStore((s) => s.robot)!;
  const torques = useStore(torquesOf);
  const closer = useStore((s) => s.closer);
  const [end, setEnd] = useState<Record<string, number>>({});
  const [time, setTime] = useState<number | null>(null);
  const [playing, setPlaying] = useState(false);
  const [again, setAgain] = useState(false);
  const [what, setWhat] = useState<"torques" | "positions">("torques");
  const q = useStore((s) => s.q);
  const names = useMemo(() => motors(robot), [robot]);
  const last = useRef({ time, end });
  last.current = { time, end };
  const settled = useSettled(q);
  const goal = time === null ? settled : end;
  const loops = robot.cuts.length > 0;
  const start = useMemo<Record<string, number>>(() => (loops && closer ? closer.start : Object.fromEntries(names.map((n) => [n, 0]))), [names, closer, loops]);

  const poseAt = (t: number, to: Record<string, number>): Record<string, number> =>
    Object.fromEntries(names.map((n) => [n, (start[n] ?? 0) + quintic(t)[0] * ((to[n] ?? 0) - (start[n] ?? 0))]));
  const goTo = (t: number) => {
    const to = last.current.time === null ? { ...get().q } : last.current.end;
    if (last.current.time === null) setEnd(to);
    last.current = { time: t, end: to };
    setTime(t);
    const part = (k: 1 | 2) => Object.fromEntries(names.map((n) => [n, quintic(t)[k] * ((to[n] ?? 0) - (start[n] ?? 0))]));
    set({ qd: part(1), qdd: part(2) });
    if (loops) act.move(poseAt(t, to));
    else act.pose(poseAt(t, to));
  };
  useEffect(() => {
    if (!playing) return;
    let frame = 0;
    let before = performance.now();
    let t = (last.current.time ?? 0) >= DURATION ? 0 : (last.current.time ?? 0);
    const step = (now: number) => {
      t += (now - before) / 1000;
      before = now;
      if (t >= DURATION && !again) return goTo(DURATION), setPlaying(false);
      if (t >= DURATION) t = 0;
      goTo(t);
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing, again]);
  useEffect(() => {
    const toggle = () => setPlaying((p) => !p);
    addEventListener("symoro-play", toggle);
    return () => removeEventListener("symoro-play", toggle);
  }, []);
  useEffect(() => (setTime(null), setPlaying(false)), [robot.name]);
  const curves = useMemo(() => {
    if (closed) return [];
    const times = Array.from({ length: SAMPLES }, (_, k) => (DURATION * k) / (SAMPLES - 1));
    if (what === "positions" || !torques) return names.map((n) => ({ name: n, j: robot.joints.findIndex((x) => x.variable === n) + 1, points: times.map((t) => poseAt(t, goal)[n]) }));
    const values = { ...torques.robot, values: robot.values };
    let closedAt: Record<string, number> = { ...get().q, ...start };
    const rows = times.map((t) => {
      const [, v, a] = quintic(t);
      const span = (n: string) => (goal[n] ?? 0) - (start[n] ?? 0);
      const wanted = poseAt(t, goal);
      if (loops && closer) closedAt = closer.close({ ...closedAt, ...wanted }, closedAt) ?? closedAt;
      torques.runner!.run(act.givenAt(values, loops ? closedAt : wanted, Object.fromEntries(names.map((n) => [n, v * span(n)])), Object.fromEntries(names.map((n) => [n, a * span(n)]))));
      return torques.runner!.output("GAM");
    });
    return torques.data!.outputs[0].names.map((name, k) => ({ name: name.replace("GAM", "Γ"), j: Number(/\d+$/.exec(name)?.[0] ?? k + 1), points: rows.map((r) => r[k]) }));
  }, [closed, what, torques, goal, names, robot, start]);
  return (
    <section className={closed ? "motion closed" : "motion"} aria-label={say("Motion")}>
      <div className="motion-head">
        {!open && <button type="button" className="plain" aria-label={say("Motion")} aria-expanded={!closed} onClick={() => set((s) => ({ folded: { ...s.folded, dock: !s.folded.dock } }))}><span className={closed ? "chevron" : "chevron open"}><Icon name="right" /></span></button>}
        <h3>{say("Motion")}</h3><span className="quiet">quintic, {DURATION} s</span><span className="gap" />
        {!closed && <div className="switch" role="group"><button type="button" aria-pressed={what === "torques"} onClick={() => setWhat("torques")}>{say("Torques")}</button><button type="button" aria-pressed={what === "positions"} onClick={() => setWhat("positions")}>{say("Positions")}</button></div>}
      </div>
      {!closed && (
        <>
          <div className="transport">
            <button type="button" className="play" aria-label={say(playing ? "pause" : "play")} onClick={() => setPlaying(!playing)}><Icon name={playing ? "pause" : "play"} /></button>
            <IconButton name="repeat" label={say("repeat")} aria-pressed={again} onClick={() => setAgain(!again)} />
            <input type="range" className="scrub" min={0} max={DURATION} step="any" value={time ?? DURATION} aria-label="time" aria-valuetext={`${(time ?? DURATION).toFixed(2)} s`} onChange={(e) => (setPlaying(false), goTo(Number(e.target.value)))} />
            <span className="digits">{(time ?? DURATION).toFixed(2)} / {DURATION.toFixed(2)} s</span>
          </div>
          <Plot curves={curves} time={time ?? DURATION} />
          {what === "torques" && !torques && <p className="quiet plot-note">{say("Show the inverse dynamic model to see torques.")}</p>}
        </>
      )}
    </section>
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

interface Curve { name: string; j: number; points: number[] }

function Plot({ curves, time }: { curves: Curve[]; time: number }) {
  const all = curves.flatMap((c) => c.points).filter(Number.isFinite);
  const low = Math.min(0, ...all);
  const high = Math.max(0, ...all, low + 1e-6);
  const x = (t: number) => 34 + ((WIDTH - 70) * t) / DURATION;
  const y = (v: number) => 8 + (HEIGHT - 28) * (1 - (v - low) / (high - low));
  const ticks = niceTicks(low, high);
  const ends = curves.map((c) => ({ c, y: y(c.points[c.points.length - 1]) })).filter((e) => Number.isFinite(e.y)).sort((a, b) => a.y - b.y);
  ends.forEach((e, k) => k && (e.y = Math.max(e.y, ends[k - 1].y + 11)));
  for (let k = ends.length - 1; k >= 0; k -= 1) ends[k].y = Math.min(ends[k].y, k === ends.length - 1 ? HEIGHT - 20 : ends[k + 1].y - 11);
  return (
    <svg className="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Curves of ${curves.map((c) => c.name).join(", ")}`}>
      {ticks.map((v) => <g key={v}><line className="tick" x1={x(0)} x2={x(DURATION)} y1={y(v)} y2={y(v)} /><text x={28} y={y(v) + 3} textAnchor="end">{v}</text></g>)}
      {[0, 0.4, 0.8, 1.2].map((t) => <text key={t} x={x(t)} y={HEIGHT - 4} textAnchor="middle">{t}{t === 1.2 ? " s" : ""}</text>)}
      {curves.map((c) => <path key={c.name} style={{ stroke: jointColour(c.j) }} d={c.points.map((v, k) => `${k ? "L" : "M"}${x((DURATION * k) / (SAMPLES - 1)).toFixed(1)} ${y(Number.isFinite(v) ? v : 0).toFixed(1)}`).join("")} />)}
      {ends.map(({ c, y: at }) => <text key={c.name} className="curve-name" style={{ fill: jointColour(c.j) }} x={x(DURATION) + 5} y={at + 3}>{c.name}</text>)}
      <line className="cursor" x1={x(time)} x2={x(time)} y1={4} y2={HEIGHT - 18} />
    </svg>
  );
}

function niceTicks(low: number, high: number): number[] {
  const raw = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw) ?? power;
  const ticks: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 && ticks.length < 8; v += step) ticks.push(Number(v.toPrecision(6)));
  return ticks;
}
