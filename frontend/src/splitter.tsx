// Lines between columns, and between equations and code, that can be dragged. A double click brings the layout's own size back.

import { useRef } from "react";
import { get, set, useStore } from "./store";
import type { Sizes } from "./state/view";
import { useWords } from "./words";

type Part = keyof Sizes;
const LEAST = { robot: 320, results: 440, view: 360 };
const TITLES: Record<Part, string> = { robot: "Width of the robot's column", results: "Width of the results", code: "Height of the code" };

/** Stands in the pane whose size it changes: at the right of the robot, at the left of results, above code. */
export function Splitter({ of }: { of: Part }) {
  const say = useWords();
  const bar = useRef<HTMLDivElement>(null);
  const size = useStore((s) => s.sizes[of]);
  const pane = () => bar.current!.parentElement!.getBoundingClientRect();
  const put = (wanted: number | null) => set({ sizes: { ...get().sizes, [of]: wanted === null ? null : within(of, wanted, pane()) } });
  const grabbed = useRef(0);
  const now = () => (of === "code" ? pane().height : pane().width);
  /** How much larger the pane is than when the pointer was at 0. */
  const place = (event: React.PointerEvent) => (of === "robot" ? event.clientX : of === "results" ? -event.clientX : -event.clientY);
  const grab = (event: React.PointerEvent) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    grabbed.current = now() - place(event);
  };
  const drag = (event: React.PointerEvent) => event.currentTarget.hasPointerCapture(event.pointerId) && put(grabbed.current + place(event));
  const keys = (event: React.KeyboardEvent) => {
    const way = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    put(now() + 16 * way * (of === "results" ? -1 : 1));
  };
  return (
    <div ref={bar} className={`splitter split-${of}`} role="separator" tabIndex={0} aria-orientation={of === "code" ? "horizontal" : "vertical"} aria-label={say(TITLES[of])} aria-valuemin={0} aria-valuemax={of === "code" ? 100 : innerWidth} aria-valuenow={Math.round(size === null ? 0 : of === "code" ? 100 * size : size)} aria-valuetext={size === null ? say("as the layout has it") : undefined}
      onPointerDown={grab} onPointerMove={drag} onDoubleClick={() => put(null)} onKeyDown={keys} />
  );
}

/** Pixels of a column, or the part of the height that code has; no column becomes too narrow. */
function within(of: Part, wanted: number, pane: DOMRect): number {
  if (of === "code") {
    const whole = document.querySelector(".panes.both")?.clientHeight || 1;
    return Math.max(0.15, Math.min(0.8, wanted / whole));
  }
  const view = document.querySelector(".middle")?.clientWidth ?? LEAST.view;
  return Math.round(Math.max(LEAST[of], Math.min(pane.width + Math.max(0, view - LEAST.view), wanted)));
}
