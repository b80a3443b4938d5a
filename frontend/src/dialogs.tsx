import { useEffect, useRef, useState } from "react";
import { save } from "./api";
import { IconButton } from "./icons";
import { SHORTCUTS } from "./keyboard";
import { shareLink } from "./persist";
import { report } from "./report";
import { set, useStore } from "./store";
import { useWords } from "./words";

export function Dialogs() {
  const dialog = useStore((s) => s.dialog);
  if (dialog === "share") return <Frame title="Share a link"><Share /></Frame>;
  if (dialog === "shortcuts") return <Frame title="Keyboard"><Shortcuts /></Frame>;
  if (dialog === "report") return <Frame title="Report"><ReportForm /></Frame>;
  return null;
}

function Frame({ title, children }: { title: string; children: React.ReactNode }) {
  const say = useWords();
  const node = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    node.current?.showModal();
  }, []);
  return (
    <dialog ref={node} aria-label={say(title)} onClose={() => set({ dialog: null })} onClick={(e) => e.target === node.current && node.current.close()}>
      <div className="dialog-head"><h2>{say(title)}</h2><span className="gap" /><IconButton name="close" label={say("Close")} onClick={() => node.current?.close()} /></div>
      {children}
    </dialog>
  );
}

function Share() {
  const say = useWords();
  const robot = useStore((s) => s.robot)!;
  const [link, setLink] = useState("");
  const [copied, setCopied] = useState(false);
  useEffect(() => void shareLink(robot).then(setLink), [robot]);
  return (
    <>
      <p>{say("A link carries the robot in its address. Nothing is sent anywhere.")}</p>
      <textarea readOnly rows={4} value={link} aria-label={say("Share a link")} onFocus={(e) => e.target.select()} />
      <div className="actions"><button type="button" className="primary" onClick={() => void navigator.clipboard?.writeText(link).then(() => setCopied(true))}>{say(copied ? "Copied" : "Copy")}</button><span className="quiet">{link.length} characters</span></div>
    </>
  );
}

function Shortcuts() {
  const keys = useStore((s) => s.keys);
  return (
    <>
      <table className="shortcuts"><tbody>{SHORTCUTS.map(([key, what]) => <tr key={key}><th><kbd>{key}</kbd></th><td>{what}</td></tr>)}</tbody></table>
      <label className="field"><input type="checkbox" checked={keys} onChange={(e) => set({ keys: e.target.checked })} /> Keys of one letter</label>
    </>
  );
}

function ReportForm() {
  const say = useWords();
  const results = useStore((s) => s.results);
  const robot = useStore((s) => s.robot)!;
  const done = results.filter((r) => r.data);
  const make = (kind: "html" | "ipynb") => save(new Blob([report(robot, done, kind)], { type: kind === "html" ? "text/html" : "application/json" }), `${robot.name}-report.${kind}`);
  return (
    <>
      <p>{robot.title || robot.name}: {done.length ? done.map((r) => say(r.entry.title)).join(", ") : say("Choose a model")}</p>
      <div className="actions"><button type="button" className="primary" onClick={() => make("html")}>HTML</button><button type="button" onClick={() => make("ipynb")}>Notebook</button></div>
      <p className="quiet">The HTML page prints as PDF. The notebook makes every result again with symoro.</p>
    </>
  );
}
