import { useEffect, useMemo, useRef, useState } from "react";
import * as act from "./actions";
import { evaluate, nameTex, parse, symbolsOf } from "./expression";
import { type Vector, origin, rpy, sceneOf, tips } from "./geometry";
import { meaningOf } from "./grid";
import { Icon, IconButton } from "./icons";
import { branchesOf, colourOfBranch } from "./branches";
import { shownNumber } from "./live";
import { Maths } from "./maths";
import { type Parameter, GEOMETRY, cellText, cellsBySymbol, numbersOf } from "./robot";
import type { Label, Scene3D } from "./scene3d";
import { type State, get, set, shownResult, useStore } from "./store";
import { colours } from "./theme";
import { useWords } from "./words";

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
      made.current.onDrawn = () => placeLabels(made.current!, overlay.current!, note.current!);
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

  const tip = scene.plate ? "P" : (tips(robot).pop() ?? 0);
  const pose = scene.plate ? scene.plate.pose : tip ? scene.frames[Number(tip) - 1] : scene.base;
  const angles = rpy(pose).map((x) => (x * 180) / Math.PI);
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
      if (point) act.moveTarget(point, null);
      return;
    }
    if (event.buttons === 0 && event.pointerType === "mouse") act.link(null, null, view.pick(...at));
  };
  const grab = (event: React.PointerEvent) => {
    if (!dragging || !made.current) return;
    made.current.controls.enabled = false;
    (event.target as Element).setPointerCapture(event.pointerId);
  };
  const keys = (event: React.KeyboardEvent) => {
    const view = made.current;
    const turns: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!view) return;
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
      <div ref={box} className={dragging ? "view dragging" : "view"} tabIndex={0} role="application" aria-roledescription={say("3D view")} aria-label={say("{}. Frame {}", robot.title || robot.name, tip)} onKeyDown={keys}>
        <canvas ref={canvas} onPointerMove={hover} onPointerDown={grab} onPointerUp={() => made.current && (made.current.controls.enabled = true)} onPointerLeave={() => act.link(null)} />
        <div ref={overlay} className="labels" aria-hidden="true" />
        <div ref={note} className="dimension" hidden>{row && <Dimension path={cell!} />}</div>
        {failed && <p className="view-note">{failed}</p>}
      </div>
      <div className="view-tools" role="group" aria-label="3D">
        {([["frames", "frames"], ["links", "cube"], ["labels", "tag"], ...(dressed ? [["meshes", "eye"]] as const : [])] as const).map(([key, icon]) => (
          <button key={key} type="button" className="icon-button" aria-pressed={show[key]} aria-label={say(key)} title={say(key)} onClick={() => set({ show: { ...show, [key]: !show[key] } })}><Icon name={icon} /></button>
        ))}
        <i className="rule" />
        <IconButton name="home" label={`${say("home")} (F)`} onClick={() => made.current?.fit()} />
      </div>
      <div className="pose">
        <span><Maths tex={`{}^0P_{${tip}}`} label={say("position of frame {}", tip)} /></span>{origin(pose).map((x, k) => <span key={k} className="digits">{x.toFixed(3)}</span>)}
        <span className="quiet">rpy</span>{angles.map((x, k) => <span key={k} className="digits">{x.toFixed(1)}°</span>)}
      </div>
      <PoseTwin text={say("Frame {} at {} m, roll {}, pitch {}, yaw {} degrees", tip, origin(pose).map((x) => x.toFixed(3)).join(" "), ...angles.map((x) => x.toFixed(1)))} />
    </section>
  );
}

/** The view in words, for screen readers: after a move has ended. */
function PoseTwin({ text }: { text: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), 800);
    return () => clearTimeout(timer);
  }, [text]);
  return <p className="unseen" aria-live="polite">{said}</p>;
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

/** Labels of axes are elements over the canvas; those that would lie on each other move apart. */
function placeLabels(view: Scene3D, overlay: HTMLElement, note: HTMLElement): void {
  const { clientWidth: width, clientHeight: height } = overlay;
  const free: { x: number; y: number }[] = [];
  const known = new Map([...overlay.children].map((node) => [(node as HTMLElement).dataset.key!, node as HTMLElement]));
  for (const label of view.labels) {
    const node = known.get(label.key) ?? addLabel(overlay, label);
    known.delete(label.key);
    const at = view.project(label.at, width, height);
    while (free.some((p) => Math.abs(p.x - at.x) < 18 && Math.abs(p.y - at.y) < 15)) at.y += 15;
    free.push(at);
    node.classList.toggle("faded", label.faded);
    node.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px) translate(-50%, -50%)`;
    node.hidden = !at.front;
  }
  known.forEach((node) => node.remove());
  if (!note.hidden && note.dataset.at) {
    const at = view.project(note.dataset.at.split(",").map(Number) as Vector, width, height);
    const x = Math.max(70, Math.min(width - 90, at.x));
    const y = Math.max(24, Math.min(height - 24, at.y));
    note.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
  }
}

function addLabel(overlay: HTMLElement, label: Label): HTMLElement {
  const node = document.createElement("span");
  node.dataset.key = label.key;
  node.className = `axis-label axis-${label.kind}`;
  const below = document.createElement("sub");
  below.textContent = label.below;
  node.append(label.text, below);
  overlay.append(node);
  return node;
}
