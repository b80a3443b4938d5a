import { useEffect, useMemo, useRef, useState } from "react";
import * as documentActions from "./actions/document";
import * as resultActions from "./actions/result";
import * as viewActions from "./actions/view";
import { Icon } from "./icons";
import { goToRow } from "./keyboard";
import { rowsOf } from "./lights";
import { shownResult } from "./state/result";
import { get, set, useStore } from "./store";
import { reasonOf } from "./topbar";
import { say, useWords } from "./words";

interface Item { group: string; icon: string; title: string; note: string; side: string; reason: string | null; run: (beside: boolean) => void }

function commands(): Item[] {
  const item = (title: string, run: () => void, side = ""): Item => ({ group: "Commands", icon: "right", title: say(title), note: "", side, reason: null, run });
  const result = shownResult(get());
  return [
    item("Undo", documentActions.undo, "Ctrl Z"), item("Redo", documentActions.redo, "Ctrl Shift Z"), item("Projector", () => set((s) => ({ projector: !s.projector })), "P"),
    item(get().theme === "dark" ? "Light theme" : "Dark theme", () => set((s) => ({ theme: s.theme === "dark" ? "light" : "dark" })), "T"),
    item(get().language === "en" ? "Français" : "English", () => void viewActions.speak(get().language === "en" ? "fr" : "en")),
    item("Open a file", documentActions.chooseFile), item("Start page", documentActions.close), item("Share a link", () => set({ dialog: "share" })), item("Keyboard", () => set({ dialog: "shortcuts" }), "?"),
    ...(result?.data ? [item("Download zip", () => void resultActions.downloadZip(result.id))] : []),
    ...(result?.data ? Object.keys(get().facts?.targets ?? {}).map((t) => item(`Code: ${t}`, () => (resultActions.showAs(result.id, "code"), resultActions.chooseTarget(result.id, t)))) : []),
  ];
}

function places(): Item[] {
  const item = (title: string, table: "geometry" | "inertia" | "drives" | "base" | "loops", side: string): Item => ({ group: "Go to", icon: "table", title: say(title), note: "", side, reason: null, run: () => set({ table, folded: { ...get().folded, robot: false } }) });
  return [item("Geometry", "geometry", "G T"), item("Inertia", "inertia", "G I"), item("Drives", "drives", ""), item("Base", "base", ""), item("Loops", "loops", "")];
}

function found(text: string): Item[] {
  const s = get();
  const wanted = text.trim().toLowerCase();
  if (wanted.startsWith(">")) return commands().filter((i) => i.title.toLowerCase().includes(wanted.slice(1).trim()));
  const has = (...texts: string[]) => texts.some((t) => t.toLowerCase().includes(wanted));
  const models: Item[] = resultActions.catalogueOf(s.facts, s.robot).filter((e) => has(e.title, e.name, ...e.aliases)).map((e) => ({
    group: "Models", icon: reasonOf(e, s.checked.models, s.robot !== null) ? "lock" : "model", title: e.title, note: [e.aliases[0], e.citation].filter(Boolean).join(" · "), side: say(e.menu),
    reason: reasonOf(e, s.checked.models, s.robot !== null), run: (beside) => resultActions.openModel(e.name, {}, beside),
  }));
  const result = shownResult(s);
  const data = result?.data;
  const symbols: Item[] = !wanted || !data ? [] : data.symbols.filter((x) => !x.name.startsWith("%") && has(x.name, x.text ?? "")).slice(0, 12).map((x) => ({
    group: "Symbols", icon: "tag", title: x.name, note: [x.text ?? "", x.unit].filter(Boolean).join(" · "), side: say("in {} equations", rowsOf(data, x.name).length), reason: null,
    run: () => { const rows = rowsOf(data, x.name); viewActions.unpin(); viewActions.link(x.name); viewActions.pin(); if (rows.length) goToRow(result!.id, rows[0]); },
  }));
  const robots: Item[] = !wanted ? [] : s.library.filter((r) => has(r.robot.name, r.robot.title)).slice(0, 5).map((r) => ({ group: "Robot", icon: "cube", title: r.robot.title || r.robot.name, note: r.structure, side: "", reason: null, run: () => documentActions.open(r.robot) }));
  return [...models.sort((a, b) => Number(a.reason !== null) - Number(b.reason !== null)).slice(0, wanted ? 10 : 8), ...symbols, ...robots, ...places().filter((i) => has(i.title)), ...(wanted ? commands().filter((i) => has(i.title)).slice(0, 5) : [])];
}

export function Palette() {
  const open = useStore((s) => s.palette);
  return open ? <PaletteBox /> : null;
}

function PaletteBox() {
  const words = useWords();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const before = useRef(document.activeElement as HTMLElement | null);
  const items = useMemo(() => found(text), [text]);
  const close = () => (set({ palette: false }), before.current?.focus());
  useEffect(() => void input.current?.focus(), []);
  useEffect(() => void list.current?.querySelector(".on")?.scrollIntoView({ block: "nearest" }), [at]);
  const run = (item: Item | undefined, beside: boolean) => {
    if (!item || item.reason) return;
    set({ palette: false });
    item.run(beside);
  };
  const keys = (event: React.KeyboardEvent) => {
    if (event.key === "ArrowDown") event.preventDefault(), setAt((at + 1) % Math.max(1, items.length));
    if (event.key === "ArrowUp") event.preventDefault(), setAt((at + items.length - 1) % Math.max(1, items.length));
    if (event.key === "Enter") event.preventDefault(), run(items[at], event.ctrlKey || event.metaKey);
    if (event.key === "Escape") event.preventDefault(), close();
    if (event.key === "Tab") event.preventDefault();
  };
  return (
    <div className="veil" onPointerDown={(e) => e.target === e.currentTarget && close()}>
      <div className="palette" role="dialog" aria-modal="true" aria-label={words("Models, symbols, commands")}>
        <label className="palette-input"><Icon name="search" /><input ref={input} value={text} placeholder={words("Models, symbols, commands")} role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={`palette-${at}`} aria-label={words("Models, symbols, commands")} onKeyDown={keys} onChange={(e) => (setText(e.target.value), setAt(0))} /></label>
        <div className="palette-list" role="listbox" id="palette-list" ref={list} aria-label={words("Models, symbols, commands")}>
          {items.map((item, k) => (
            <div key={`${item.group}${item.title}${k}`} role="presentation">
              {(k === 0 || items[k - 1].group !== item.group) && <div className="palette-group" role="presentation">{words(item.group)}</div>}
              <div id={`palette-${k}`} role="option" aria-selected={k === at} aria-disabled={item.reason !== null} className={k === at ? "palette-item on" : "palette-item"} onPointerMove={() => setAt(k)} onClick={(e) => run(item, e.ctrlKey || e.metaKey)}>
                <Icon name={item.icon} /><span className="palette-title">{marked(item.title, text)}</span><span className="quiet note">{item.reason ?? item.note}</span><span className="gap" /><span className="quiet">{item.side}</span>
              </div>
            </div>
          ))}
          {!items.length && <p className="quiet pad">–</p>}
        </div>
        <div className="palette-foot"><kbd>↑</kbd><kbd>↓</kbd> {words("choose")} <kbd>↵</kbd> <kbd>Ctrl ↵</kbd> {words("opens it beside the current result")}<span className="gap" />“&gt;” {words("Commands")}</div>
      </div>
    </div>
  );
}

function marked(title: string, text: string): React.ReactNode {
  const k = text ? title.toLowerCase().indexOf(text.trim().toLowerCase()) : -1;
  return k < 0 ? title : <>{title.slice(0, k)}<mark>{title.slice(k, k + text.trim().length)}</mark>{title.slice(k + text.trim().length)}</>;
}
