// A parallel robot in the robot's column: sliders of the platform, and the tables of platform and attachments.

import * as act from "./actions";
import { POSE_NAMES, PoseSlider } from "./freebase";
import { Icon, IconButton } from "./icons";
import { Typeset } from "./maths";
import { atHome } from "./platform";
import { INERTIA, type Robot } from "./robot";
import { useStore } from "./store";
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
  const far = 0.6 * Math.max(0.2, Math.hypot(...home.slice(0, 3)));
  return (
    <section className="joints platform" aria-label={say("Platform")}>
      <div className="section-head"><h3>{say("Platform")}</h3>
        {message ? <span className="badge error"><Icon name="warning" />{say(message)}</span> : mover ? <span className="badge good"><Icon name="check" />{say("Legs closed")}</span> : <span className="quiet" role="status">{say("legs are being solved")}</span>}
        <span className="gap" /><IconButton name="home" label={say("back to the home pose")} onClick={() => act.movePlatform(home)} /></div>
      {POSE_NAMES.map((name, k) => {
        const turning = k > 2;
        const [low, high] = turning ? [-1.2, 1.2] : [home[k] - far, home[k] + far];
        return <PoseSlider key={name} name={name} value={at[k]} turning={turning} low={low} high={high} follows={!mover?.data.independent.includes(k)} onChange={(x) => act.movePlatform(at.map((old, i) => (i === k ? x : old)))} />;
      })}
    </section>
  );
}

/** Attachments of the legs and the platform, to read: its file is edited, not its table. */
export function PlatformTable({ robot }: { robot: Robot }) {
  const say = useWords();
  const part = robot.parallel!;
  return (
    <div className="base-table">
      <p className="quiet pad">{say("This robot is shown as its file has it: change the file and drop it again.")}</p>
      <table className="grid read-only" aria-label={say("Attachments")}>
        <thead><tr><th scope="col">{say("leg")}</th><th scope="col">{say("attachment")}</th>{["x", "y", "z"].map((a) => <th key={a} scope="col">{a}</th>)}</tr></thead>
        <tbody>{part.attachments.map((a, i) => <tr key={i}><th scope="row">{i + 1}</th><td>{say(a.kind)}</td>{[0, 1, 2].map((k) => <td key={k}><Typeset text={a.pose[k][3]} /></td>)}</tr>)}</tbody>
      </table>
      <table className="grid read-only" aria-label={say("Platform")}>
        <thead><tr><th scope="col">{say("platform")}</th><th scope="col">{say("value")}</th></tr></thead>
        <tbody>{INERTIA.map((name) => <tr key={name}><th scope="row">{name}</th><td><Typeset text={part.inertia[name] ?? "0"} /></td></tr>)}</tbody>
      </table>
    </div>
  );
}
