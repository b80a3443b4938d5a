// What the page shows: one symbol or link lights in all places, and the language.

import { UNLINKED } from "../state/view";
import { get, set } from "../store";
import { loadFrench } from "../words";
import { askAgain } from "./document";
import { askResultsAgain, setOption } from "./result";

/** Speak another language: what the server said is asked for again. */
export async function speak(language: "en" | "fr"): Promise<void> {
  if (language === "fr") await loadFrench();
  if (language === get().language) return;
  set({ language });
  askAgain();
  await askResultsAgain();
}

export function link(symbol: string | null, cell: string | null = null, joint: number | null = null): void {
  const { linked } = get();
  if (linked.pinned || (linked.symbol === symbol && linked.cell === cell && linked.joint === joint)) return;
  set({ linked: { symbol, cell, joint, pinned: false } });
}

/** What lights a symbol, a cell or a joint while the pointer is over a node. */
export const lit = (symbol: string | null, cell: string | null = null, joint: number | null = null) => ({
  onPointerEnter: () => link(symbol, cell, joint), onPointerLeave: () => link(null),
});

export function pin(): void {
  const { linked } = get();
  if (linked.symbol || linked.cell || linked.joint) set({ linked: { ...linked, pinned: !linked.pinned } });
}

/** Choose a link in the view, 0 the base: for the option that waits for one, or to keep it lit; null frees it. */
export function pickLink(joint: number | null): void {
  const { picking, linked } = get();
  if (picking) return pickFor(picking.result, picking.option, joint);
  if (!joint || (linked.pinned && linked.joint === joint)) return unpin();
  set({ linked: { symbol: null, cell: null, joint, pinned: true } });
  document.querySelector(`.grid-row[data-joint="${joint}"]`)?.scrollIntoView({ block: "nearest" });
}

function pickFor(id: number, name: string, joint: number | null): void {
  if (joint === null) return;
  set({ picking: null });
  setOption(id, name, joint);
}

export function unpin(): void {
  set({ linked: UNLINKED });
}
