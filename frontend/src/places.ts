// The way back: Back of the browser returns to the equation from which one jumped, and from a robot to the start page.

import { type State, get, set } from "./store";

interface Place { work: boolean; result?: number; top?: number }

let left: State | null = null;

const paneOf = (result: number) => document.querySelector<HTMLElement>(`[data-result="${result}"] .equations.scroll`);

/** A robot was opened. */
export function entered(): void {
  const place: Place = { work: true };
  if ((history.state as Place | null)?.work) history.replaceState(place, "");
  else history.pushState(place, "");
}

/** Go to the start page; the work stays at hand, and among the recent robots with its edits. */
export function leave(): void {
  left = get();
  const { robot, recent } = left;
  const kept = robot ? [{ at: Date.now(), robot }, ...recent.filter((r) => r.robot.name !== robot.name)].slice(0, 6) : recent;
  set({ robot: null, results: [], shown: null, beside: null, menu: null, recent: kept });
}

/** Jump inside the equations of a result; Back returns. */
export function jump(result: number, go: () => void): void {
  history.replaceState({ work: true, result, top: paneOf(result)?.scrollTop } satisfies Place, "");
  history.pushState({ work: true, result } satisfies Place, "");
  go();
}

export function listenToBack(): void {
  addEventListener("popstate", (event) => {
    const place = event.state as Place | null;
    if (!place?.work) return get().robot ? leave() : undefined;
    if (!get().robot) return left ? set(left) : undefined;
    if (place.result !== undefined && place.top !== undefined) paneOf(place.result)?.scrollTo({ top: place.top });
  });
}
