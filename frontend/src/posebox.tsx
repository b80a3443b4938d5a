// The pose of a frame in numbers: of the tip at first, or of the frame that is chosen.

import { useEffect, useState } from "react";
import { type Pose, type Scene, frameOf, origin, poseOf, rpy, times, tips } from "./geometry";
import { IconButton } from "./icons";
import { Maths } from "./maths";
import { type Robot, linkCount, numbersOf } from "./robot";
import { useWords } from "./words";

const DEGREES = 180 / Math.PI;

/** The frames that can be chosen, by name: the platform or the tip first. */
function framesOf(robot: Robot, scene: Scene): Map<string, Pose> {
  const tip = tips(robot).pop() ?? 0;
  const links = robot.joints.slice(0, linkCount(robot)).map((_, k): [string, Pose] => [String(k + 1), scene.frames[k]]);
  const first: [string, Pose] = scene.plate ? ["P", scene.plate.pose] : [String(tip), tip ? scene.frames[tip - 1] : scene.base];
  const named = robot.frames.filter((f) => f.pose).map((f): [string, Pose] => [f.name, times(frameOf(scene, f.link) ?? scene.base, poseOf(f.pose, numbersOf(robot)))]);
  return new Map([first, ...links, ...named]);
}

/** Four rows of four numbers, as Python and MATLAB read them. */
const matrixText = (pose: Pose): string => `[${[0, 1, 2].map((i) => `[${pose.slice(4 * i, 4 * i + 4).map((x) => Number(x.toPrecision(12))).join(", ")}]`).join(", ")}, [0, 0, 0, 1]]`;

export function PoseBox({ robot, scene }: { robot: Robot; scene: Scene }) {
  const say = useWords();
  const [chosen, setChosen] = useState("");
  const [copied, setCopied] = useState(false);
  const frames = framesOf(robot, scene);
  const name = frames.has(chosen) ? chosen : [...frames.keys()][0];
  const pose = frames.get(name)!;
  const angles = rpy(pose).map((x) => x * DEGREES);
  const copy = () => void navigator.clipboard?.writeText(matrixText(pose)).then(() => (setCopied(true), setTimeout(() => setCopied(false), 1500)));
  useEffect(() => setChosen(""), [robot.name]);
  return (
    <>
      <div className="pose">
        <label className="pose-frame" title={say("Frame")}><Maths tex={`{}^0P_{\\mathrm{${name.replace(/_/g, "\\_")}}}`} />
          <select aria-label={say("position of frame {}", name)} value={name} onChange={(e) => setChosen(e.target.value)}>{[...frames.keys()].map((f) => <option key={f}>{f}</option>)}</select></label>
        {origin(pose).map((x, k) => <span key={k} className="digits">{x.toFixed(3)}</span>)}
        <IconButton name={copied ? "check" : "copy"} label={say(copied ? "Copied" : "Copy")} onClick={copy} />
        <span className="quiet">rpy</span>{angles.map((x, k) => <span key={k} className="digits">{x.toFixed(1)}°</span>)}
      </div>
      <PoseTwin text={say("Frame {} at {} m, roll {}, pitch {}, yaw {} degrees", name, origin(pose).map((x) => x.toFixed(3)).join(" "), ...angles.map((x) => x.toFixed(1)))} />
    </>
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
