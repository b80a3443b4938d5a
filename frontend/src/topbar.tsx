import { useEffect, useRef } from "react";
import * as documentActions from "./actions/document";
import * as motionActions from "./actions/motion";
import * as resultActions from "./actions/result";
import * as viewActions from "./actions/view";
import type { Entry } from "./api";
import { Icon, IconButton } from "./icons";
import { summary } from "./robot";
import { hereOf } from "./run";
import { LAWS } from "./state/motion";
import { shownResult } from "./state/result";
import { get, set, useStore } from "./store";
import { say as sayNow, useWords } from "./words";

const MENUS = ["Robot", "Geometric", "Kinematic", "Dynamic", "Identification", "Motion", "Optimizer"];

export function TopBar() {
  const say = useWords();
  const robot = useStore((s) => s.robot);
  const saved = useStore((s) => s.robot === s.saved);
  const past = useStore((s) => s.past.length > 0);
  const future = useStore((s) => s.future.length > 0);
  const theme = useStore((s) => s.theme);
  const language = useStore((s) => s.language);
  const menu = useStore((s) => s.menu);
  const projector = useStore((s) => s.projector);
  const result = useStore((s) => shownResult(s));
  const active = menu ?? (robot ? result?.entry.menu : "Robot");
  if (projector && robot) return <ProjectorBar />;
  return (
    <header className="topbar">
      <button type="button" className="brand" onClick={documentActions.close} title={say("Start page")}>
        <img src="./icon.svg" alt="" width="24" height="24" /><span>symoro</span>
      </button>
      {robot && (
        <button type="button" className="robot-name" aria-haspopup="menu" aria-expanded={menu === "Robot"} onClick={() => set({ menu: menu === "Robot" ? null : "Robot" })}>
          <b>{robot.title || robot.name}</b><span className="quiet kinds">{summary(robot, say)}{saved ? "" : ` · ${say("edited")}`}</span><Icon name="down" />
        </button>
      )}
      {robot && saved && <span className="saved"><i className="dot good" />{say("Saved")}</span>}
      <nav aria-label={say("Models")}>
        {MENUS.map((name) => (
          <button key={name} type="button" className={active === name ? "menu-button on" : "menu-button"} aria-haspopup="menu" aria-expanded={menu === name}
            onClick={() => set({ menu: menu === name ? null : name })} onPointerEnter={() => menu && menu !== name && set({ menu: name })}>{say(name)}</button>
        ))}
      </nav>
      <span className="gap" />
      <button type="button" className="search" onClick={() => set({ palette: true })} title={say("Models, symbols, commands")}>
        <Icon name="search" /><span className="long">{say("Models, symbols, commands")}</span><span className="short">{say("Search")}</span><kbd>Ctrl K</kbd>
      </button>
      <IconButton name="undo" label={`${say("Undo")} (Ctrl Z)`} disabled={!past} onClick={documentActions.undo} />
      <IconButton name="redo" label={`${say("Redo")} (Ctrl Shift Z)`} disabled={!future} onClick={documentActions.redo} />
      <IconButton name="share" label={say("Share a link")} disabled={!robot} onClick={() => set({ dialog: "share" })} />
      <IconButton name="report" label={say("Report")} disabled={!robot} onClick={() => set({ dialog: "report" })} />
      <IconButton name={theme === "dark" ? "sun" : "moon"} label={say(theme === "dark" ? "Light theme" : "Dark theme")} onClick={() => set({ theme: theme === "dark" ? "light" : "dark" })} />
      <button type="button" className="language" aria-label={language === "en" ? "EN, Français" : "FR, English"} title={language === "en" ? "Français" : "English"} onClick={() => void viewActions.speak(language === "en" ? "fr" : "en")}>
        {language.toUpperCase()}
      </button>
      {menu && <Menu name={menu} />}
    </header>
  );
}

function ProjectorBar() {
  const robot = useStore((s) => s.robot);
  const result = useStore((s) => shownResult(s));
  const ops = result?.data?.ops;
  const rival = result?.data?.published[0];
  return (
    <header className="topbar">
      <span className="brand"><img src="./icon.svg" alt="" width="28" height="28" /><span>symoro</span></span>
      <b>{robot?.title || robot?.name}</b><span className="quiet">{result ? result.entry.title : ""}</span>
      <span className="gap" />
      {ops && <span className="badge good">{ops.mul} mul, {ops.add} add{rival?.mul ? ` · SYMORO+ ${rival.mul}, ${rival.add}` : ""}</span>}
      <button type="button" className="key" onClick={() => set({ projector: false })}>Esc</button>
    </header>
  );
}

interface Item { key: string; title: string; alias?: string; after?: string; note?: string; reason?: string | null; run: (beside: boolean) => void; more?: boolean }

function Menu({ name }: { name: string }) {
  const say = useWords();
  const box = useRef<HTMLDivElement>(null);
  const facts = useStore((s) => s.facts);
  const models = useStore((s) => s.checked.models);
  const results = useStore((s) => s.results);
  const robot = useStore((s) => s.robot);
  const items = name === "Robot" ? robotItems() : name === "Optimizer" ? optimizerItems() : name === "Motion" ? motionItems() : modelItems();

  function modelItems(): Item[] {
    return resultActions.catalogueOf(facts, robot).filter((e) => e.menu === name).map((e) => ({
      key: e.name, title: e.title, alias: e.aliases[0], after: e.citation, reason: reasonOf(e, models, robot !== null),
      note: countsOf(e), run: (beside) => resultActions.openModel(e.name, {}, beside), more: !e.aliases.length,
    }));
  }
  function countsOf(e: Entry): string {
    const done = results.find((r) => r.entry.name === e.name)?.data;
    return done ? `${done.ops.mul} mul, ${done.ops.add} add` : "";
  }
  function robotItems(): Item[] {
    const files: Item[] = [".toml", ".par", ".csv", ".urdf", ".xml", ".sdf"].map((suffix) => ({
      key: suffix, title: `${say("Save as")} ${suffix}`, reason: robot ? null : say("open a robot first"), run: () => void documentActions.saveAs(suffix), more: true,
    }));
    return [
      { key: "start", title: say("Start page"), run: () => documentActions.close() },
      { key: "open", title: say("Open a file"), run: () => documentActions.chooseFile() },
      ...files,
    ];
  }
  function motionItems(): Item[] {
    const reason = !robot ? say("open a robot first") : null;
    const laws: Item[] = LAWS.map(([law, title]) => ({ key: law, title: say(title), reason, run: () => motionActions.openMotion({ law }) }));
    return [...laws, { key: "start", title: say("Start here"), reason, run: () => motionActions.openMotion({ start: { ...hereOf(get()) } }), more: true }, { key: "play", title: say("Play the motion"), after: "Space", reason, run: () => (motionActions.openMotion({}), setTimeout(() => dispatchEvent(new Event("symoro-play")))), more: true }];
  }
  function optimizerItems(): Item[] {
    const result = resultActions.current();
    const can = result?.entry.options.some((o) => o.name === "optimize");
    const reason = result && can ? null : say("open a model first");
    const effort = (value: string | boolean) => () => result && (resultActions.setOption(result.id, "optimize", value), set({ menu: null }));
    return [
      { key: "fast", title: say("Fewer operations, fast"), reason, run: effort("fast") },
      { key: "best", title: say("Fewest operations, long search"), reason, run: effort("best") },
      { key: "plain", title: say("The paper's own form"), reason, run: effort(false) },
    ];
  }
  useEffect(() => {
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: PointerEvent) => {
      if (!(event.target as Element).closest(".menu, .menu-button, .robot-name")) set({ menu: null });
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [name]);
  const keys = (event: React.KeyboardEvent) => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const go = (k: number) => (event.preventDefault(), all[(k + all.length) % all.length]?.focus());
    if (event.key === "ArrowDown") go(at + 1);
    if (event.key === "ArrowUp") go(at - 1);
    if (event.key === "Home") go(0);
    if (event.key === "End") go(-1);
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const step = event.key === "ArrowRight" ? 1 : MENUS.length - 1;
      set({ menu: MENUS[(MENUS.indexOf(name) + step) % MENUS.length] });
    }
  };
  const item = (i: Item) => (
    <button key={i.key} type="button" role="menuitem" className="menu-item" aria-disabled={Boolean(i.reason)}
      onClick={(event) => !i.reason && (set({ menu: null }), i.run(event.ctrlKey || event.metaKey))}>
      <span className="menu-title">{i.title}{i.alias && <code>{i.alias}</code>}</span>
      <span className="quiet">{i.reason ? "" : i.after}</span>
      <span className="right quiet">{i.reason ?? i.note}</span>
    </button>
  );
  const firstItems = items.filter((i) => !i.more);
  const others = items.filter((i) => i.more);
  return (
    <div className="menu" role="menu" aria-label={say(name)} ref={box} onKeyDown={keys}>
      {!["Robot", "Motion", "Optimizer"].includes(name) && (
        <div className="menu-head"><span>{say("SYMORO+ models")}</span><span>{say("after")}</span><span /></div>
      )}
      {firstItems.map(item)}
      {firstItems.length > 0 && others.length > 0 && <div className="menu-head rule"><span>{say("More")}</span></div>}
      {others.map(item)}
      <div className="menu-foot">{name !== "Motion" && <><kbd>Ctrl</kbd><kbd>↵</kbd><span>{say("opens it beside the current result")}</span></>}<span className="gap" /><kbd>M</kbd><kbd>{name[0]}</kbd></div>
    </div>
  );
}

/** Why a model cannot be opened now; null where it can. */
export function reasonOf(entry: Entry, models: Record<string, string | null> | null, hasRobot: boolean): string | null {
  if (!hasRobot) return sayNow("open a robot first");
  if (!models) return null;
  const reason = entry.name === "inverse_geometry" ? models["loop_closure"] === null && !get().robot?.parallel ? sayNow("closed loops: it is for open chains") : null : (models[entry.name] ?? null);
  return reason ? reason.split(/ ?;/)[0] : null;
}
