import { useEffect, useRef, useState } from "react";
import * as api from "./api";
import { save } from "./api";
import { Icon, IconButton } from "./icons";
import { SHORTCUTS } from "./keyboard";
import { shareLink } from "./persist";
import { get, set, useStore } from "./store";
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
      <div className="actions"><button type="button" className="primary" onClick={() => void navigator.clipboard?.writeText(link).then(() => setCopied(true))}>{say(copied ? "Copied" : "Copy")}</button><span className="quiet">{link.length} {say("characters")}</span></div>
    </>
  );
}

function Shortcuts() {
  const say = useWords();
  const keys = useStore((s) => s.keys);
  return (
    <>
      <table className="shortcuts"><tbody>{SHORTCUTS.map(([key, what]) => <tr key={key}><th><kbd>{key.replace(/Arrows|Space|then/g, (word) => say(word))}</kbd></th><td>{say(what)}</td></tr>)}</tbody></table>
      <label className="field"><input type="checkbox" checked={keys} onChange={(e) => set({ keys: e.target.checked })} /> {say("Keys of one letter")}</label>
    </>
  );
}

const KINDS = [["html", "HTML"], ["pdf", "PDF"], ["ipynb", "Notebook"]] as const;

function ReportForm() {
  const say = useWords();
  const results = useStore((s) => s.results);
  const robot = useStore((s) => s.robot)!;
  const done = results.filter((r) => r.data);
  const [left, setLeft] = useState<number[]>([]);
  const [busy, setBusy] = useState("");
  const [message, setMessage] = useState("");
  const chosen = done.filter((r) => !left.includes(r.id));
  const make = async (kind: string) => {
    const { q, qd, qdd, language } = get();
    setBusy(kind);
    setMessage("");
    try {
      save(await api.report(robot, chosen, { q, qd, qdd, language }, kind), `${robot.name}-report.${kind}`);
    } catch (error) {
      setMessage((error as Error).message);
    }
    setBusy("");
  };
  return (
    <>
      <p>{robot.title || robot.name}: {say("its table, operation counts, the equations of these models, and figures.")}</p>
      {!done.length && <p className="quiet">{say("No model is open yet.")}</p>}
      {done.map((r) => <label key={r.id} className="field"><input type="checkbox" checked={!left.includes(r.id)} onChange={(e) => setLeft(e.target.checked ? left.filter((x) => x !== r.id) : [...left, r.id])} /> {r.entry.title}</label>)}
      <div className="actions report-kinds">{KINDS.map(([kind, title]) => <button key={kind} type="button" className={kind === "html" ? "primary" : ""} disabled={busy !== ""} onClick={() => void make(kind)}><Icon name="download" />{say(title)}</button>)}
        {busy && <span className="quiet" role="status">{say("The report is being written.")}</span>}</div>
      {message && <p className="notice error" role="alert">{message}</p>}
      <p className="quiet">{say("The notebook has the robot with your edits in it, and makes every result again with symoro.")}</p>
    </>
  );
}
