// Sliders of a pose: those of a base that is free to move, and those of a platform.

import { AT_REST, freeOf, poseOfFree } from "./free";
import { type Vector, rpy } from "./geometry";
import { IconButton } from "./icons";
import { shownNumber } from "./live";
import { NumberField } from "./numberfield";
import { POSE_NAMES } from "./platform";
import { isFree } from "./robot";
import { set, useStore } from "./store";
import { useWords } from "./words";

interface Given { name: string; what?: string; value: number; turning: boolean; low: number; high: number; follows?: boolean; onChange: (x: number) => void }

/** A slider of one number of a pose. */
export function PoseSlider({ name, what, value, turning, low, high, follows = false, onChange }: Given) {
  const say = useWords();
  const scale = turning ? 180 / Math.PI : 1;
  const part = (x: number) => `${(100 * (Math.max(low, Math.min(high, x)) - low)) / (high - low)}%`;
  const step = (turning ? Math.PI / 180 : 0.005);
  const keys = (e: React.KeyboardEvent) => {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[e.key];
    if (way) e.preventDefault(), onChange(Math.max(low, Math.min(high, value + way * step * (e.shiftKey ? 10 : 1))));
  };
  return (
    <div className={follows ? "slider follows" : "slider"} style={{ "--joint": `var(--${turning || what ? "ink-2" : name})` } as React.CSSProperties}>
      <span className="slider-name">{name}</span>
      <span className="track">
        <i className="fill" style={{ left: part(Math.min(0, value)), right: `calc(100% - ${part(Math.max(0, value))})` }} /><i className="zero-mark" style={{ left: part(0) }} />
        <input type="range" min={low} max={high} step="any" value={value} disabled={follows} aria-label={`${what ?? say("pose")} ${name}`} aria-valuetext={`${shownNumber(value * scale, 2)}${turning ? "°" : " m"}`} onChange={(e) => onChange(Number(e.target.value))} onKeyDown={keys} />
      </span>
      <NumberField value={value * scale} digits={turning ? 1 : 3} unit={turning ? "°" : " m"} disabled={follows} label={name} onChange={(x) => Number.isFinite(x) && onChange(x / scale)} />
      {follows ? <span className="quiet follow-word">{say("follows")}</span> : <span />}
    </div>
  );
}

/** Six sliders for a floating base, three for one on wheels; the models get the quaternion. */
export function FreeBase() {
  const say = useWords();
  const robot = useStore((s) => s.robot)!;
  const free = useStore((s) => s.free);
  if (!isFree(robot)) return null;
  const pose = [...free.position, ...rpy(poseOfFree(free))];
  const names = robot.base.kind === "mobile" ? ["x", "y", "yaw"] : POSE_NAMES;
  const change = (name: string, x: number) => {
    const next = POSE_NAMES.map((n, k) => (n === name ? x : pose[k]));
    set({ free: freeOf(next.slice(0, 3) as Vector, next.slice(3) as Vector) });
  };
  return (
    <section className="joints" aria-label={say("Base")}>
      <div className="section-head"><h3>{say("Base")}</h3><span className="quiet">{say(robot.base.kind)}</span><span className="gap" />
        <IconButton name="home" label={say("back to the origin")} onClick={() => set({ free: AT_REST })} /></div>
      {POSE_NAMES.map((name, k) => {
        const turning = k > 2;
        const far = turning ? (name === "pitch" ? 1.55 : Math.PI) : 2;
        return names.includes(name) && <PoseSlider key={name} name={name} value={pose[k]} turning={turning} low={-far} high={far} onChange={(x) => change(name, x)} />;
      })}
    </section>
  );
}
