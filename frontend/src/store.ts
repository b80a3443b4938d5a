// The state of the page, made of four subjects. A component reads a part of it by `useStore(state => part)`.

import { useSyncExternalStore } from "react";
import { type DocumentState, DOCUMENT } from "./state/document";
import { type MotionState, MOTION } from "./state/motion";
import { type ResultState, RESULTS } from "./state/result";
import { type ViewState, VIEW } from "./state/view";

export type State = DocumentState & MotionState & ResultState & ViewState;

let state: State = { ...DOCUMENT, ...MOTION, ...RESULTS, ...VIEW };
const listeners = new Set<() => void>();

export const get = (): State => state;

export function set(change: Partial<State> | ((s: State) => Partial<State>)): void {
  const next = typeof change === "function" ? change(state) : change;
  state = { ...state, ...next };
  listeners.forEach((listener) => listener());
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** A part of the state; it must be a value or an object that stays the same while nothing in it changes. */
export function useStore<Part>(part: (s: State) => Part): Part {
  return useSyncExternalStore(subscribe, () => part(state));
}
