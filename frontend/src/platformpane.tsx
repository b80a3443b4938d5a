// A parallel robot in the robot's column: sliders of the platform, and the tables of platform and attachments.

import * as documentActions from "./actions/document";
import * as motionActions from "./actions/motion";
import { PoseSlider } from "./freebase";
import { Grid, type GridRow } from "./grid";
import { Icon, IconButton } from "./icons";
import { addLeg, before, removeLeg } from "./legs";
import { POSE_NAMES, atHome } from "./platform";
import { type Leg, type Robot, ATTACHMENTS, INERTIA, keyOf, withCell } from "./robot";
import { set, useStore } from "./store";
import { useWords } from "./words";

/** A slider for each number of the pose that can be chosen; the others follow. */
export function PlatformSliders() {
  const say = useWords();
  const robot = useStore((s) => s.robot)!;
  const mover = useStore((s) => s.mover);
  const message = useStore((s) => s.loopMessage);
  const at = useStore((s) => s.platform) ?? [];
  if (!robot.parallel || at.length < 6) return null;
  const home = atHome(robot);
  const solved = mover && mover.robot.values === robot.values && keyOf(mover.robot) === keyOf(robot);
  const far = 0.6 * Math.max(0.2, Math.hypot(...home.slice(0, 3)));
  return (
    <section className="joints platform" aria-label={say("Platform")}>
      <div className="section-head"><h3>{say("Platform")}</h3>
        {message ? <span className="badge error"><Icon name="warning" />{say(message)}</span> : solved ? <span className="badge good"><Icon name="check" />{say("Legs closed")}</span> : <span className="quiet" role="status">{say("legs are being solved")}</span>}
        <span className="gap" /><IconButton name="home" label={say("back to the home pose")} onClick={() => motionActions.movePlatform(home)} /></div>
      {POSE_NAMES.map((name, k) => {
        const turning = k > 2;
        const [low, high] = turning ? [-1.2, 1.2] : [home[k] - far, home[k] + far];
        return <PoseSlider key={name} name={name} value={at[k]} turning={turning} low={low} high={high} follows={!mover?.data.independent.includes(k)} onChange={(x) => motionActions.movePlatform(at.map((old, i) => (i === k ? x : old)))} />;
      })}
    </section>
  );
}

const PLACE = ["gamma", "b", "alpha", "d", "theta", "r"] as const;
const TEX: Record<string, string> = { gamma: "\\gamma", b: "b", alpha: "\\alpha", d: "d", theta: "\\theta", r: "r" };
const AXES = ["x", "y", "z"];

/** The rows of a rotation, for a frame whose axes count. */
const turned = (pose: string[][]) => pose.slice(0, 3).some((row, i) => row.slice(0, 3).some((text, k) => text.trim() !== (i === k ? "1" : "0")));

/** The platform, where legs stand on the base, and how they are attached: each cell is edited in place. */
export function PlatformTable({ robot }: { robot: Robot }) {
  const say = useWords();
  const { legs, home } = robot.parallel!;
  const head = (i: number) => <span className="joint-name"><b>{i + 1}</b> <span className="quiet">{say("leg")}</span></span>;
  const add = () => {
    documentActions.edit(addLeg(robot), "a leg");
    set({ alike: false }); // the copy is moved next, and not the leg that it is a copy of
  };
  const removable = (i: number) => <>{head(i)}{legs.length > 1 && <IconButton name="trash" label={say("Remove leg {}", i + 1)} onClick={() => documentActions.edit(removeLeg(robot, i), `leg ${i + 1}`)} />}</>;
  const point = (path: string) => [0, 1, 2].map((i) => `${path}.${i}.3`);
  const place = AXES.map((a) => ({ key: a, title: a, tex: a }));
  const rotation = (path: string, name: string): GridRow[] => [0, 1, 2].map((i) => ({ key: `${path}${i}`, head: i ? "" : name, cells: [0, 1, 2].map((k) => `${path}.${i}.${k}`) }));
  const axes = legs.flatMap((leg, i) => (leg.kind === "spherical" && !turned(leg.pose) ? [] : rotation(`parallel.legs.${i + 1}.pose`, `${say("leg")} ${i + 1}`)));
  return (
    <div className="base-table platform-table">
      <h4>{say("Attachments")}</h4>
      <Grid label={say("Attachments")} head={say("leg")} columns={[{ key: "kind", title: say("attachment") }, ...place, { key: "branch", title: say("branch") }]} rows={legs.map((leg, i) => ({ key: String(i), head: removable(i), cells: [{ node: <Kind i={i} kind={leg.kind} /> }, ...point(`parallel.legs.${i + 1}.pose`), { node: <Branch robot={robot} i={i} /> }] }))} />
      <div className="row-actions"><button type="button" onClick={add}><Icon name="plus" />{say("Leg like the last one")}</button></div>
      <h4>{say("Placements on the base")}</h4>
      <Grid label={say("Placements on the base")} head={say("leg")} columns={PLACE.map((n) => ({ key: n, title: n, tex: TEX[n] }))} rows={legs.map((_, i) => ({ key: String(i), joint: before(robot, i) + 1, head: head(i), cells: PLACE.map((n) => `joints.${before(robot, i) + 1}.${n}`) }))} />
      <h4>{say("Platform")}</h4>
      <Grid label={say("Home pose")} head={say("Home pose")} columns={place} rows={[{ key: "home", head: "", cells: point("parallel.home") }, ...(turned(home) ? rotation("parallel.home", "R") : [])]} />
      <Grid label={say("Platform")} head={say("platform")} columns={[{ key: "value", title: say("value") }]} rows={INERTIA.map((name) => ({ key: name, head: name, cells: [`parallel.inertia.${name}`] }))} />
      {axes.length > 0 && <><h4>{say("Axes of the attachments")}</h4><Grid label={say("Axes of the attachments")} head="R" columns={AXES.map((a) => ({ key: a, title: a, tex: `${a}_A` }))} rows={axes} /></>}
    </div>
  );
}

function Kind({ i, kind }: { i: number; kind: Leg["kind"] }) {
  const say = useWords();
  return (
    <select className="parent" value={kind} aria-label={say("attachment of leg {}", i + 1)} onChange={(e) => documentActions.setCell(`parallel.legs.${i + 1}.kind`, e.target.value)}>
      {ATTACHMENTS.map((k) => <option key={k} value={k}>{say(k)}</option>)}
    </select>
  );
}

/** The branch of a leg in the working mode of the robot; where none is described, the first that reaches the home pose. */
function Branch({ robot, i }: { robot: Robot; i: number }) {
  const say = useWords();
  const data = useStore((s) => s.mover)?.data;
  if (!data || data.branch.length !== robot.parallel!.legs.length) return <span className="quiet">…</span>;
  const mode = robot.parallel!.branch ?? data.branch;
  return (
    <select className="parent" value={mode[i]} aria-label={say("branch of leg {}", i + 1)} onChange={(e) => documentActions.edit(withCell(robot, "parallel.branch", mode.map((b, k) => (k === i ? Number(e.target.value) : b))), "parallel.branch")}>
      {Array.from({ length: data.branches[i] }, (_, k) => <option key={k} value={k}>{k}</option>)}
    </select>
  );
}

/** Legs are mostly alike: what is typed into one goes into the same cell of the others. */
export function Alike() {
  const say = useWords();
  const alike = useStore((s) => s.alike);
  return (
    <div className="row-actions">
      <label className="alike"><input type="checkbox" checked={alike} onChange={(e) => set({ alike: e.target.checked })} />{say("Legs that have the same text change together")}</label>
    </div>
  );
}
