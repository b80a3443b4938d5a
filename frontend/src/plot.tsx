// Curves over time, with direct labels and a cursor at the time of the view.

import { jointColour } from "./theme";

export interface Curve { name: string; j: number; points: number[] }

const WIDTH = 460;
const HEIGHT = 132;

export function Plot({ curves, times, time, unit }: { curves: Curve[]; times: number[]; time: number; unit: string }) {
  const end = times[times.length - 1] || 1;
  const all = curves.flatMap((c) => c.points).filter(Number.isFinite);
  const low = Math.min(0, ...all);
  const high = Math.max(0, ...all, low + 1e-6);
  const x = (t: number) => 40 + ((WIDTH - 76) * t) / end;
  const y = (v: number) => 8 + (HEIGHT - 28) * (1 - (v - low) / (high - low));
  const line = (points: number[]) => points.map((v, k) => `${k ? "L" : "M"}${x(times[k]).toFixed(1)} ${y(Number.isFinite(v) ? v : 0).toFixed(1)}`).join("");
  return (
    <svg className="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Curves of ${curves.map((c) => c.name).join(", ")}, ${unit}`}>
      {ticksOf(low, high).map((v) => <g key={v}><line className="tick" x1={x(0)} x2={x(end)} y1={y(v)} y2={y(v)} /><text x={34} y={y(v) + 3} textAnchor="end">{v}</text></g>)}
      {ticksOf(0, end).map((t) => <text key={t} x={x(t)} y={HEIGHT - 4} textAnchor="middle">{t}</text>)}
      <text x={WIDTH - 30} y={HEIGHT - 4}>s</text>
      {curves.map((c) => <path key={c.name} style={{ stroke: jointColour(c.j) }} d={line(c.points)} />)}
      {labels(curves, y).map(({ c, at }) => <text key={c.name} className="curve-name" style={{ fill: jointColour(c.j) }} x={x(end) + 5} y={at + 3}>{c.name}</text>)}
      <line className="cursor" x1={x(Math.min(time, end))} x2={x(Math.min(time, end))} y1={4} y2={HEIGHT - 18} />
      <text x={2} y={HEIGHT - 4}>{unit}</text>
    </svg>
  );
}

/** Names stand at the ends of their curves, apart from each other; of very many, the first ones. */
function labels(curves: Curve[], y: (v: number) => number): { c: Curve; at: number }[] {
  const ends = curves.slice(0, 10).map((c) => ({ c, at: y(c.points[c.points.length - 1]) })).filter((e) => Number.isFinite(e.at)).sort((a, b) => a.at - b.at);
  ends.forEach((e, k) => k && (e.at = Math.max(e.at, ends[k - 1].at + 11)));
  for (let k = ends.length - 1; k >= 0; k -= 1) ends[k].at = Math.min(ends[k].at, k === ends.length - 1 ? HEIGHT - 20 : ends[k + 1].at - 11);
  return ends;
}

function ticksOf(low: number, high: number): number[] {
  const raw = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw) ?? power;
  const ticks: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step && ticks.length < 8; v += step) ticks.push(Number(v.toPrecision(6)));
  return ticks;
}
