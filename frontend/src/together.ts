// Results side by side scroll together: where both have the same symbol or group, there they meet; between, by the part of the way.

import { get } from "./store";

/** Where things stand in a pane, in pixels from its beginning, by a name that other panes have, too. */
export type Marks = Map<string, number>;
type Kind = "equations" | "code";
interface Pane { result: number; kind: Kind; node: HTMLElement; marks: () => Marks }

const panes = new Set<Pane>();
/** Where a pane was put by another one: its own event of scrolling moves nothing then. */
const put = new WeakMap<HTMLElement, number>();

/** Let a pane scroll with those of the result beside it; the answer ends it. */
export function together(result: number, kind: Kind, node: HTMLElement, marks: () => Marks): () => void {
  const pane: Pane = { result, kind, node, marks };
  let asked = 0;
  const scrolled = () => {
    if (Math.abs((put.get(node) ?? NaN) - node.scrollTop) < 1.5) return void put.delete(node);
    put.delete(node);
    if (asked || !get().together || get().beside === null) return;
    asked = requestAnimationFrame(() => {
      asked = 0;
      const other = counterpart(pane);
      if (other) follow(pane, other);
    });
  };
  panes.add(pane);
  node.addEventListener("scroll", scrolled);
  return () => {
    cancelAnimationFrame(asked);
    panes.delete(pane);
    node.removeEventListener("scroll", scrolled);
  };
}

/** Scroll a pane when it is made: no other one follows. */
export function putAt(node: HTMLElement, top: number): void {
  node.scrollTop = top;
  put.set(node, node.scrollTop);
}

/** The pane of the other result that is shown: of the same kind, or the only one that it has. */
function counterpart(pane: Pane): Pane | undefined {
  const { shown, beside } = get();
  const others = [...panes].filter((p) => p.result !== pane.result && (p.result === shown || p.result === beside));
  return others.find((p) => p.kind === pane.kind) ?? others[0];
}

const room = (pane: Pane) => Math.max(0, pane.node.scrollHeight - pane.node.clientHeight);

function follow(leader: Pane, follower: Pane): void {
  const pairs = meetings(leader.marks(), follower.marks()).filter(([a, b]) => a < room(leader) && b < room(follower));
  const to = Math.round(placeFor(leader.node.scrollTop, [[0, 0], ...pairs, [room(leader), room(follower)]]));
  if (Math.abs(to - follower.node.scrollTop) < 1) return;
  put.set(follower.node, to);
  follower.node.scrollTop = to;
}

/** Places that two panes have in common, in an order that both keep: the longest one. */
export function meetings(first: Marks, second: Marks): [number, number][] {
  const common = [...first].filter(([name]) => second.has(name)).map(([name, at]): [number, number] => [at, second.get(name)!]);
  common.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const ends: number[] = []; // ends[n]: the end of the chain of n + 1 places that ends earliest
  const before = common.map(([, at], k) => {
    const n = ends.findLastIndex((e) => common[e][1] < at) + 1;
    ends[n] = k;
    return n ? ends[n - 1] : -1;
  });
  const chain: [number, number][] = [];
  for (let k = ends[ends.length - 1] ?? -1; k >= 0; k = before[k]) chain.unshift(common[k]);
  return chain;
}

/** The place of the second pane for one of the first, linear between meetings. */
export function placeFor(at: number, pairs: [number, number][]): number {
  const after = pairs.findIndex(([a]) => a >= at);
  const k = after < 0 ? pairs.length - 1 : Math.max(1, after);
  const [[a0, b0], [a1, b1]] = [pairs[k - 1], pairs[k]];
  return a1 > a0 ? b0 + ((b1 - b0) * (at - a0)) / (a1 - a0) : b1;
}
