import { Suspense, lazy, useEffect, useState } from "react";
import { openFiles, undo } from "./actions/document";
import { Dialogs } from "./dialogs";
import { Icon, IconButton } from "./icons";
import { Palette } from "./palette";
import { Start } from "./start";
import { set, useStore } from "./store";
import { TopBar } from "./topbar";
import { useWords } from "./words";

/** What the start page does not need loads after it. */
export const loadWork = () => import("./work");
const Work = lazy(loadWork);

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
      {working ? <Suspense><Work /></Suspense> : <Start />}
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
      <span>{failure}</span>
      <IconButton name="close" label={say("Close")} onClick={() => set({ failure: "" })} />
    </div>
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
