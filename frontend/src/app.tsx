import { useEffect, useState } from "react";
import { openFiles, undo } from "./actions";
import { Dialogs } from "./dialogs";
import { FreeBase } from "./freebase";
import { Icon, IconButton } from "./icons";
import { Motion } from "./motion";
import { Palette } from "./palette";
import { PlatformSliders } from "./platformpane";
import { Results } from "./results";
import { Joints, RobotColumn, Structure, Symbols, Tables } from "./robotcolumn";
import { Start } from "./start";
import { set, useStore } from "./store";
import { TopBar } from "./topbar";
import { ViewPane } from "./viewpane";
import { useWords } from "./words";

function useWidth(): number {
  const [width, setWidth] = useState(innerWidth);
  useEffect(() => {
    const changed = () => setWidth(innerWidth);
    addEventListener("resize", changed);
    return () => removeEventListener("resize", changed);
  }, []);
  return width;
}

export function App() {
  const theme = useStore((s) => s.theme);
  const language = useStore((s) => s.language);
  const working = useStore((s) => s.robot !== null);
  const projector = useStore((s) => s.projector);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    document.documentElement.lang = language;
    document.documentElement.dataset.projector = projector && working ? "yes" : "no";
  }, [theme, language, projector, working]);
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length) void openFiles(files);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);
  return (
    <>
      <TopBar />
      <Failure />
      {working ? <Work /> : <Start />}
      <Palette />
      <Dialogs />
      <UndoToast />
    </>
  );
}

function Failure() {
  const say = useWords();
  const failure = useStore((s) => s.failure);
  if (!failure) return null;
  return (
    <div className="failure" role="alert">
      <Icon name="warning" />
      <span>{say(failure)}</span>
      <IconButton name="close" label={say("Close")} onClick={() => set({ failure: "" })} />
    </div>
  );
}

function Work() {
  const width = useWidth();
  const projector = useStore((s) => s.projector);
  const folded = useStore((s) => s.folded);
  const narrow = width < 1180;
  if (projector) return <main className="work projector"><ViewPane /><Results /></main>;
  if (narrow)
    return (
      <main className="work narrow">
        <div className="stack"><ViewPane /><Sheet /></div>
        {!folded.results && <Results />}
      </main>
    );
  return (
    <main className={`work ${folded.robot ? "no-robot" : ""} ${folded.results ? "no-results" : ""}`}>
      {!folded.robot && <RobotColumn />}
      <div className="middle"><ViewPane /><Motion /></div>
      {!folded.results && <Results />}
    </main>
  );
}

const SHEETS = [["table", "Table"], ["joints", "Joints"], ["motion", "Motion"], ["symbols", "Symbols"]] as const;

/** On a tablet: table, joints, motion and symbols under the view. */
function Sheet() {
  const say = useWords();
  const sheet = useStore((s) => s.sheet);
  return (
    <section className="sheet" aria-label={say("Table")}>
      <div className="tabs" role="tablist">
        {SHEETS.map(([key, title]) => (
          <button key={key} role="tab" type="button" aria-selected={sheet === key} className="tab" onClick={() => set({ sheet: key })}>{say(title)}</button>
        ))}
      </div>
      <div className="scroll">
        {sheet === "table" && <Tables />}
        {sheet === "joints" && <><FreeBase /><PlatformSliders /><Joints /></>}
        {sheet === "motion" && <Motion open />}
        {sheet === "symbols" && <><Symbols /><Structure /></>}
      </div>
    </section>
  );
}

function UndoToast() {
  const say = useWords();
  const changed = useStore((s) => s.changed);
  const [shown, setShown] = useState("");
  useEffect(() => {
    setShown(changed);
    if (!changed) return;
    const timer = setTimeout(() => setShown(""), 4000);
    return () => clearTimeout(timer);
  }, [changed]);
  const editing = useStore((s) => s.editing);
  if (!shown || editing) return null;
  const [, joint, ...rest] = shown.split(".");
  const place = shown.startsWith("joints.") && rest.length ? `${say("Joint")} ${joint}: ${rest.join(" ")}` : say(shown);
  return (
    <div className="toast" role="status">
      <Icon name="undo" />
      <span>{place} {say("changed")}</span>
      <button type="button" onClick={undo}>{say("Undo")}</button>
      <kbd>Ctrl Z</kbd>
    </div>
  );
}
