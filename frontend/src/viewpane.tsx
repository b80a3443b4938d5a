import { useEffect, useMemo, useRef, useState } from "react";
import * as motionActions from "./actions/motion";
import * as viewActions from "./actions/view";
import { evaluate, nameTex, parse, symbolsOf } from "./expression";
import { origin, sceneOf, tips } from "./geometry";
import { meaningOf } from "./grid";
import { Icon, IconButton } from "./icons";
import { branchesOf, colourOfBranch } from "./branches";
import { shownNumber } from "./live";
import { Maths } from "./maths";
import { placeLabels } from "./labels";
import { PoseBox } from "./posebox";
import { type Parameter, GEOMETRY, cellText, cellsBySymbol, linkCount, numbersOf } from "./robot";
import type { Scene3D } from "./scene3d";
import { shownResult } from "./state/result";
import { type State, get, set, useStore } from "./store";
import { colours } from "./theme";
import { useWords } from "./words";
import { findWorkspace } from "./workspace";

/** The geometric cell to draw: the one at which one points, or the first with the linked symbol. */
function drawnCell(s: State): string | null {
  if (!s.robot) return null;
  const geometric = (path: string) => path.startsWith("joints.") && GEOMETRY.includes(path.split(".")[2] as Parameter);
  if (s.linked.cell) return geometric(s.linked.cell) ? s.linked.cell : null;
  if (!s.linked.symbol) return null;
  return cellsBySymbol(s.robot).get(s.linked.symbol)?.find(geometric) ?? null;
}

export function ViewPane() {
  const say = useWords();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLDivElement>(null);
  const note = useRef<HTMLDivElement>(null);
  const made = useRef<Scene3D | null>(null);
  const [ready, setReady] = useState(false);
  const [failed, setFailed] = useState("");
  const robot = useStore((s) => s.robot)!;
  const q = useStore((s) => s.q);
  const valid = useStore((s) => s.valid);
  const theme = useStore((s) => s.theme);
  const show = useStore((s) => s.show);
  const joint = useStore((s) => s.linked.joint);
  const cell = useStore(drawnCell);
  const dragging = useStore((s) => s.dragging);
  const target = useStore((s) => s.target);
  const numeric = useStore((s) => s.numeric);
  const given = useStore((s) => s.given);
  const branches = useStore((s) => s.branches);
  const result = useStore(shownResult);
  const free = useStore((s) => s.free);
  const platform = useStore((s) => s.platform);
  const scene = useMemo(() => sceneOf(robot, q, valid, { free, platform }), [robot, q, valid, free, platform]);
  const dressed = useStore((s) => s.dressed);
  const latest = useRef(scene);
  latest.current = scene;

  useEffect(() => {
    let gone = false;
    void import("./scene3d").then(({ Scene3D }) => {
      if (gone || !canvas.current) return;
      try {
        made.current = new Scene3D(canvas.current, colours(get().theme));
      } catch {
        return setFailed(say("This browser has no WebGL: the robot cannot be drawn. Everything else works."));
      }
      (window as any).symoroView = made.current;
      made.current.onDrawn = () => made.current && overlay.current && note.current && placeLabels(made.current, overlay.current, note.current);
      setReady(true);
    });
    return () => {
      gone = true;
      made.current?.dispose();
      made.current = null;
    };
  }, []);

  useEffect(() => {
    if (!ready || !box.current) return;
    const observer = new ResizeObserver(() => box.current && made.current?.resize(box.current.clientWidth, box.current.clientHeight));
    observer.observe(box.current);
    made.current!.resize(box.current.clientWidth, box.current.clientHeight);
    const fit = () => made.current?.fit();
    addEventListener("symoro-fit", fit);
    return () => {
      observer.disconnect();
      removeEventListener("symoro-fit", fit);
    };
  }, [ready]);

  useEffect(() => {
    if (ready) made.current!.setRobot(robot, latest.current, true);
  }, [ready, robot.name, robot.joints.length]);
  useEffect(() => {
    if (ready) made.current!.setRobot(robot, latest.current, false);
  }, [ready, robot]);
  useEffect(() => {
    if (ready) made.current!.setColours(colours(theme));
  }, [ready, theme]);

  useEffect(() => {
    if (!ready) return;
    if (!dressed) return made.current!.setParts([]);
    let gone = false;
    void import("./meshes").then(({ partsOf }) => partsOf(get().robot!)).then(({ parts, broken }) => {
      if (gone || !made.current) return;
      made.current.setParts(parts);
      if (broken.length) set({ failure: broken.slice(0, 3).join("; ") });
    });
    return () => void (gone = true);
  }, [ready, dressed]);

  useEffect(() => {
    if (!ready) return;
    const inverse = result?.entry.name === "inverse_geometry" && result.data ? result : null;
    const ghosts = inverse && branches === "all"
      ? branchesOf(inverse).filter((b) => b.valid && b.distance > 0.02).map((b) => ({ scene: sceneOf(robot, { ...q, ...b.q }, valid, { free }), colour: colourOfBranch(b.group, theme) }))
      : [];
    made.current!.update(scene, show, joint ?? (cell ? Number(cell.split(".")[1]) : null), ghosts);
  }, [ready, scene, show, joint, cell, theme, result, branches, target, given, numeric]);

  useEffect(() => {
    if (!ready || !note.current) return;
    const view = made.current!;
    if (!cell) return view.clearMarks(), void (note.current.hidden = true);
    const [, j, parameter] = cell.split(".");
    const place = view.dimension(scene, { joint: Number(j), parameter: parameter as Parameter });
    note.current.hidden = !place;
    if (place) note.current.dataset.at = place.join();
    view.ask();
  }, [ready, scene, cell, theme]);

  const cloud = useWorkspace(ready ? made.current : null);
  const picking = useStore((s) => s.picking !== null);
  const pressed = useRef<{ x: number; y: number } | null>(null);
  const tip = scene.plate ? "P" : (tips(robot).pop() ?? 0);
  const read = (event: React.PointerEvent): [number, number] => {
    const rect = canvas.current!.getBoundingClientRect();
    return [((event.clientX - rect.left) / rect.width) * 2 - 1, 1 - ((event.clientY - rect.top) / rect.height) * 2];
  };
  const hover = (event: React.PointerEvent) => {
    const view = made.current;
    if (!view) return;
    const at = read(event);
    if (dragging && event.buttons === 1 && get().target) {
      const point = view.onPlane(...at, origin(get().target!));
      if (point) motionActions.moveTarget(point, null);
      return;
    }
    if (event.buttons === 0 && event.pointerType === "mouse") viewActions.link(null, null, view.pick(...at) || null);
  };
  const grab = (event: React.PointerEvent) => {
    pressed.current = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY } : null;
    if (!dragging || !made.current) return;
    made.current.controls.enabled = false;
    (event.target as Element).setPointerCapture(event.pointerId);
  };
  /** A click chooses the link under it; where the pointer was dragged, the camera has moved instead. */
  const release = (event: React.PointerEvent) => {
    const view = made.current;
    const from = pressed.current;
    pressed.current = null;
    if (!view) return;
    view.controls.enabled = true;
    if (from && !dragging && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 5) viewActions.pickLink(view.pick(...read(event)));
  };
  const keys = (event: React.KeyboardEvent) => {
    const view = made.current;
    const turns: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!view || jointKeys(event)) return;
    if (event.key === "+" || event.key === "-") {
      view.camera.position.sub(view.controls.target).multiplyScalar(event.key === "+" ? 0.9 : 1.1).add(view.controls.target);
      view.controls.update();
      view.ask();
    } else if (turns[event.key]) {
      event.preventDefault();
      orbit(view, ...turns[event.key]);
    }
  };
  const row = cell ? cell.split(".") : null;
  return (
    <section className="view-box" aria-label="3D">
      <div ref={box} className={dragging ? "view dragging" : "view"} tabIndex={0} role="application" aria-roledescription={say("3D view")} aria-label={say("{}. Frame {}", robot.title || robot.name, tip)} onKeyDown={keys} onBlur={() => viewActions.link(null)}>
        <canvas ref={canvas} className={picking ? "picking" : undefined} onPointerMove={hover} onPointerDown={grab} onPointerUp={release} onPointerLeave={() => viewActions.link(null)} />
        <div ref={overlay} className="labels" aria-hidden="true" />
        <div ref={note} className="dimension" hidden>{row && <Dimension path={cell!} />}</div>
        <svg className="compass" viewBox="-30 -30 60 60" aria-hidden="true">{["x", "y", "z"].map((a) => <g key={a} className={`axis-${a}`}><line /><text>{a}</text></g>)}</svg>
        {failed && <p className="view-note">{failed}</p>}
        {picking && <p className="pick-note" role="status">{say("Choose a link: click on it, or Tab and Enter.")} <kbd>Esc</kbd></p>}
      </div>
      <div className="view-tools" role="group" aria-label="3D">
        {([["frames", "frames"], ["links", "cube"], ["labels", "tag"], ["workspace", "cloud"], ...(dressed ? [["meshes", "eye"]] as const : [])] as const).map(([key, icon]) => (
          <button key={key} type="button" className="icon-button" aria-pressed={show[key]} aria-label={say(key)} title={say(key)} onClick={() => set({ show: { ...show, [key]: !show[key] } })}><Icon name={icon} /></button>
        ))}
        <i className="rule" />
        <IconButton name="home" label={`${say("home")} (F)`} onClick={() => made.current?.fit()} />
      </div>
      {show.workspace && <p className="cloud-note" role="status">{cloud === null ? "…" : say("{} points that it reaches, at most {} m from the base", cloud.count, cloud.far.toFixed(2))}</p>}
      <ChosenJoint />
      <PoseBox robot={robot} scene={scene} />
    </section>
  );
}

/** Tab goes through the joints and then on, Enter chooses, Shift and arrows move the joint by 1° or 1 mm. */
function jointKeys(event: React.KeyboardEvent): boolean {
  const { robot, linked, q } = get();
  const count = robot ? linkCount(robot) : 0;
  const at = linked.joint ?? 0;
  if (event.key === "Tab" && !event.ctrlKey && !event.altKey) {
    const next = at + (event.shiftKey ? -1 : 1);
    if (linked.pinned || next < 1 || next > count) return true; // on to the next part of the page; what was chosen stays
    event.preventDefault();
    viewActions.link(null, null, next);
    return true;
  }
  if (event.key === "Enter") return viewActions.pickLink(at), true;
  const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  const joint = robot?.joints[at - 1];
  if (!way || !event.shiftKey || !joint?.variable) return false;
  event.preventDefault();
  if (joint.actuated || !robot!.cuts.length) motionActions.move({ [joint.variable]: (q[joint.variable] ?? 0) + way * (joint.kind === "revolute" ? Math.PI / 180 : 0.001) });
  return true;
}

/** The chosen link in words. */
function ChosenJoint() {
  const say = useWords();
  const joint = useStore((s) => s.linked.joint);
  const name = useStore((s) => (s.linked.joint ? (s.robot?.joints[s.linked.joint - 1]?.name ?? "") : ""));
  return <p className="unseen" aria-live="polite">{joint ? `${say("link")} ${joint} ${name}` : ""}</p>;
}

/** The points that the robot reaches, drawn while they are wanted: how many there are and how far; null while they are looked for. */
function useWorkspace(view: Scene3D | null): { count: number; far: number } | null {
  const wanted = useStore((s) => s.show.workspace);
  const robot = useStore((s) => s.robot);
  const closer = useStore((s) => s.closer);
  const mover = useStore((s) => s.mover);
  const turned = useStore((s) => (s.robot?.parallel ? (s.platform ?? []).slice(3).map((x) => x.toFixed(3)).join() : ""));
  const [found, setFound] = useState<{ count: number; far: number } | null>(null);
  useEffect(() => {
    setFound(null);
    view?.setCloud([]);
    if (!view || !wanted || !robot) return;
    return findWorkspace(get(), (points) => {
      const base = origin(sceneOf(robot, get().q, get().valid, { free: get().free }).base);
      view.setCloud(points);
      setFound({ count: points.length, far: Math.max(0, ...points.map((p) => Math.hypot(...p.map((x, k) => x - base[k])))) });
    });
  }, [view, wanted, robot, closer, mover, turned]);
  return found;
}

function Dimension({ path }: { path: string }) {
  const robot = useStore((s) => s.robot)!;
  const q = useStore((s) => s.q);
  const text = cellText(robot, path);
  const numbers = numbersOf(robot);
  const number = evaluate(parse(text), (name) => q[name] ?? numbers(name));
  const { tex, unit } = meaningOf(path);
  const names = [...symbolsOf(parse(text))];
  const value = unit === "rad" ? `${((number * 180) / Math.PI).toFixed(1)}°` : `${shownNumber(number, 3)} ${unit}`;
  return <><Maths tex={names.length ? `${tex} = ${nameTex(names[0])}` : tex} /> <b className="digits">{value}</b></>;
}

function orbit(view: Scene3D, right: number, up: number): void {
  const { camera, controls } = view;
  const away = camera.position.clone().sub(controls.target);
  const far = away.length();
  const azimuth = Math.atan2(away.y, away.x) + right * 0.08;
  const height = Math.max(-1.4, Math.min(1.4, Math.asin(away.z / far) - up * 0.06));
  camera.position.set(Math.cos(azimuth) * Math.cos(height), Math.sin(azimuth) * Math.cos(height), Math.sin(height)).multiplyScalar(far).add(controls.target);
  controls.update();
  view.ask();
}
