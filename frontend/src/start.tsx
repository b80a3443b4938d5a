import { memo, useEffect, useRef, useState } from "react";
import * as documentActions from "./actions/document";
import { sceneOf } from "./geometry";
import { Icon } from "./icons";
import { posture } from "./posture";
import { type Robot, family, newRobot, summary } from "./robot";
import { get, useStore } from "./store";
import { colours } from "./theme";
import { useWords } from "./words";

const FILTERS = [["all", "All"], ["serial", "Serial"], ["tree", "Tree"], ["loops", "Closed loops"], ["free", "Free base"], ["parallel", "Parallel"]] as const;
const FIRST = ["rx90", "puma560", "sr400", "ur5", "kuka-iiwa", "scara", "stanford", "humanoid", "panda", "tx40"];
const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

export function Start() {
  const say = useWords();
  const library = useStore((s) => s.library);
  const recent = useStore((s) => s.recent);
  const [filter, setFilter] = useState<string>("all");
  const [joints, setJoints] = useState(6);
  const shown = library.filter((r) => filter === "all" || family(r.robot) === filter).sort((a, b) => rank(a.robot.name) - rank(b.robot.name));
  return (
    <main className="start">
      <h1>{say("Choose a robot, or type its table")}</h1>
      <p className="lead">{say("symoro writes the geometric, kinematic and dynamic models as equations and code. Nothing leaves this computer.")}</p>
      <div className="start-cards">
        <section className="card">
          <h2><Icon name="table" />{say("New robot")}</h2>
          <p>{say("Type a modified Denavit–Hartenberg table. The view and the messages follow each cell.")}</p>
          <div className="actions">
            <button type="button" className="primary" onClick={() => documentActions.open(newRobot(joints))}>{say("Serial")}</button>
            <label className="count">
              <select value={joints} onChange={(e) => setJoints(Number(e.target.value))} aria-label={say("Joints")}>
                {[1, 2, 3, 4, 5, 6, 7, 8].map((n) => <option key={n}>{n}</option>)}
              </select>
            </label>
            <button type="button" onClick={() => documentActions.open(newRobot(Math.max(4, joints), "tree"))}>{say("Tree")}</button>
            <button type="button" onClick={() => documentActions.open(newRobot(4, "loop"))}>{say("Closed loop")}</button>
          </div>
        </section>
        <section className="card drop">
          <h2><Icon name="folder" />{say("Drop a file here")}</h2>
          <p>.par (SYMORO+), TOML, CSV, URDF, MJCF, SDF{say("; meshes with it, or a zip")}</p>
          <div className="actions"><button type="button" onClick={documentActions.chooseFile}>{say("Choose a file")}</button></div>
        </section>
        <section className="card">
          <h2><Icon name="clock" />{say("Recent")}</h2>
          {recent.length === 0 && <p className="quiet">{say("nothing yet")}</p>}
          <ul className="recent">
            {recent.slice(0, 4).map((r) => (
              <li key={r.at}><button type="button" className="plain" onClick={() => documentActions.open(r.robot)}>{r.robot.title || r.robot.name}<span className="quiet"> · {new Date(r.at).toLocaleDateString(get().language)}</span></button></li>
            ))}
          </ul>
        </section>
      </div>
      <div className="library-head">
        <h2>{say("Library")} <span className="quiet">{library.length} {say("robots")}</span></h2>
        <div className="switch" role="group">
          {FILTERS.map(([key, title]) => (
            <button key={key} type="button" aria-pressed={filter === key} onClick={() => setFilter(key)}>{say(title)}</button>
          ))}
        </div>
      </div>
      <div className="library">
        {shown.map((r) => (
          <button key={r.robot.name} type="button" className="robot-card" onClick={() => documentActions.open(r.robot)}>
            <Thumbnail robot={r.robot} />
            <b>{r.robot.title || r.robot.name}</b>
            <span className="quiet">{summary(r.robot, say)}</span>
          </button>
        ))}
      </div>
    </main>
  );
}

type Painter = (robot: Robot, canvas: HTMLCanvasElement, theme: string) => void;
let painter: Promise<Painter> | null = null;

/** One renderer draws all pictures, one after the other. */
function paint(): Promise<Painter> {
  painter ??= import("./scene3d").then(({ Scene3D }) => {
    const canvas = document.createElement("canvas");
    const scene3d = new Scene3D(canvas, colours("light"), false);
    scene3d.renderer.setPixelRatio(1);
    scene3d.resize(480, 256);
    return (robot, target, theme) => {
      const scene = sceneOf(robot, posture(robot));
      scene3d.setColours(colours(theme));
      scene3d.setRobot(robot, scene);
      scene3d.update(scene, { frames: false, links: true, labels: false, meshes: false, workspace: false }, null);
      scene3d.draw();
      target.getContext("2d")?.clearRect(0, 0, 480, 256);
      target.getContext("2d")?.drawImage(canvas, 0, 0, 480, 256);
    };
  });
  return painter;
}

const Thumbnail = memo(function Thumbnail({ robot }: { robot: Robot }) {
  const node = useRef<HTMLCanvasElement>(null);
  const theme = useStore((s) => s.theme);
  useEffect(() => {
    const canvas = node.current!;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      observer.disconnect();
      void paint().then((draw) => setTimeout(() => draw(robot, canvas, theme)), () => undefined);
    });
    observer.observe(canvas);
    return () => observer.disconnect();
  }, [robot, theme]);
  return <canvas ref={node} width={480} height={256} aria-hidden="true" />;
});
