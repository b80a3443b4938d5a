// Maths by KaTeX, written into nodes: the policy of the page forbids HTML in texts. KaTeX loads after the table is usable.

import "katex/dist/katex.min.css";
import { memo, useEffect, useRef, useState } from "react";
import { parse, tex as texOf } from "./expression";

type Katex = typeof import("katex").default;
let katex: Katex | null = null;
const waiting = new Set<() => void>();

export const ready = import("katex").then((module) => {
  katex = module.default;
  waiting.forEach((draw) => draw());
  waiting.clear();
});

const cache = new Map<string, Node>();

/** Write LaTeX into a node; what was written once is copied. */
export function writeMaths(node: HTMLElement, tex: string): boolean {
  if (!katex) return false;
  let made = cache.get(tex);
  if (!made) {
    const box = document.createElement("span");
    katex.render(tex, box, {
      throwOnError: false, output: "html", strict: false, trust: (context) => context.command === "\\htmlData", maxExpand: 100_000,
    });
    made = box.firstChild ?? box;
    if (cache.size > 4000) cache.clear();
    cache.set(tex, made);
  }
  node.replaceChildren(made.cloneNode(true));
  return true;
}

export const Maths = memo(function Maths({ tex, label }: { tex: string; label?: string }) {
  const node = useRef<HTMLSpanElement>(null);
  const [, again] = useState(0);
  useEffect(() => {
    if (!node.current || writeMaths(node.current, tex)) return;
    const draw = () => again((k) => k + 1);
    waiting.add(draw);
    return () => void waiting.delete(draw);
  });
  return <span ref={node} className="maths" role={label ? "img" : undefined} aria-label={label} aria-hidden={label ? undefined : true} />;
});

/** The text of a cell as maths; a text that cannot be read stays as it is. */
export function Typeset({ text }: { text: string }) {
  const node = parse(text);
  if (!node) return <code>{text}</code>;
  return <Maths tex={texOf(node)} label={text} />;
}
