// Nothing typed is lost: the work is kept in the browser, and a link can carry a robot in its fragment.

import * as api from "./api";
import { open } from "./actions/document";
import { openModel } from "./actions/result";
import { speak } from "./actions/view";
import type { Robot } from "./robot";
import { type State, get, set, subscribe } from "./store";
import type { Sizes } from "./state/view";
import { say } from "./words";

const KEY = "symoro.work";
let timer = 0;
let last: Partial<State> = {};

function keep(): void {
  const s = get();
  const work = {
    robot: s.robot, saved: s.saved, q: s.q, qd: s.qd, qdd: s.qdd, free: s.free, platform: s.platform, past: s.past.slice(-30), recent: s.recent, theme: s.theme,
    language: s.language, table: s.table, keys: s.keys, show: s.show, together: s.together, sizes: s.sizes,
    results: s.results.map((r) => ({ name: r.entry.name, options: r.options, view: r.view, form: r.form, target: r.target, shown: r.id === s.shown })),
  };
  try {
    localStorage.setItem(KEY, JSON.stringify(work));
  } catch {
    localStorage.setItem(KEY, JSON.stringify({ ...work, past: [], recent: [] })); // the browser gives little room
  }
}

export function keepWork(): void {
  subscribe(() => {
    const s = get();
    if ((["robot", "q", "free", "platform", "results", "theme", "language", "table", "show", "shown", "together", "sizes"] as const).every((name) => last[name] === s[name])) return;
    last = s;
    clearTimeout(timer);
    timer = window.setTimeout(keep, 300);
  });
  addEventListener("pagehide", keep);
}

/** Sizes that were kept; what is none is that of the layout. */
const sizesOf = (kept: Partial<Sizes> | undefined): Sizes => {
  const size = (part: keyof Sizes, least: number, most: number) => (kept?.[part] && kept[part] >= least && kept[part] <= most ? kept[part] : null);
  return { robot: size("robot", 320, 4000), results: size("results", 440, 4000), code: size("code", 0.1, 0.9) };
};

export async function restore(): Promise<void> {
  let work: any = {};
  try {
    work = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    // what is there is not ours
  }
  set({
    theme: work.theme ?? get().theme, recent: (work.recent ?? []).filter((r: State["recent"][0]) => readable(r.robot)),
    keys: work.keys ?? true, show: { ...get().show, ...work.show }, together: work.together ?? true, sizes: sizesOf(work.sizes),
  });
  await speak(work.language ?? get().language);
  const shared = await fromFragment();
  if (shared) {
    open(shared);
    history.replaceState(history.state, "", location.pathname);
    return;
  }
  if (!readable(work.robot)) return;
  open(work.robot);
  set({ q: work.q ?? {}, qd: work.qd ?? {}, qdd: work.qdd ?? {}, free: work.free ?? get().free, platform: work.platform ?? get().platform, past: (work.past ?? []).filter(readable), saved: work.saved ?? work.robot, table: work.table ?? "geometry" });
  let shown: number | null = null;
  for (const r of work.results ?? []) {
    openModel(r.name, r.options, false, { view: r.view, form: r.form ?? "named", target: r.target });
    if (r.shown) shown = get().shown;
  }
  if (shown !== null) set({ shown });
}

/** Whether a robot that was kept has the shape of today's: a former page kept parallel robots by the text of their files. */
const readable = (robot?: Robot): boolean => Boolean(robot?.joints && (!robot.parallel || robot.parallel.legs));

// a robot in a link

const through = async (data: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> =>
  new Uint8Array(await new Response(new Blob([data as BlobPart]).stream().pipeThrough(stream)).arrayBuffer());

export async function shareLink(robot: Robot): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(robot)), new CompressionStream("deflate-raw"));
  let letters = "";
  packed.forEach((byte) => (letters += String.fromCharCode(byte)));
  const text = btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `${location.origin}${location.pathname}#robot=${text}`;
}

async function fromFragment(): Promise<Robot | null> {
  const text = new URLSearchParams(location.hash.slice(1)).get("robot");
  if (!text || text.length > 500_000) return null;
  try {
    const letters = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    const robot = JSON.parse(new TextDecoder().decode(await through(Uint8Array.from(letters, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw"))));
    await api.check(robot, new AbortController().signal); // the server validates its shape
    return robot;
  } catch {
    set({ failure: say("The link does not carry a robot.") });
    return null;
  }
}
