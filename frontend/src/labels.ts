// What lies over the canvas of the view: names of axes, the note of a length or angle, and the directions of the base.

import type { Vector } from "./geometry";
import type { Label, Scene3D } from "./scene3d";

/** Where a name goes that would lie on another one: further along its axis. */
function outward(from: { x: number; y: number }, to: { x: number; y: number }): { x: number; y: number } {
  const far = Math.hypot(to.x - from.x, to.y - from.y);
  return far < 4 ? { x: 0, y: 1 } : { x: (to.x - from.x) / far, y: (to.y - from.y) / far };
}

/** Labels of axes are elements over the canvas; those that would lie on each other move apart. */
export function placeLabels(view: Scene3D, overlay: HTMLElement, note: HTMLElement): void {
  const { clientWidth: width, clientHeight: height } = overlay;
  const free: { x: number; y: number }[] = [];
  const known = new Map([...overlay.children].map((node) => [(node as HTMLElement).dataset.key!, node as HTMLElement]));
  for (const label of view.labels) {
    const node = known.get(label.key) ?? addLabel(overlay, label);
    known.delete(label.key);
    const at = view.project(label.at, width, height);
    const out = outward(label.from ? view.project(label.from, width, height) : at, at);
    for (let k = 0; k < 12 && free.some((p) => Math.abs(p.x - at.x) < 18 && Math.abs(p.y - at.y) < 15); k += 1) (at.x += 6 * out.x), (at.y += 6 * out.y);
    free.push(at);
    const place = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px) translate(-50%, -50%)`;
    if (node.dataset.place !== place) node.dataset.place = node.style.transform = place;
    if (node.classList.contains("faded") !== label.faded) node.classList.toggle("faded");
    if (node.hidden === at.front) node.hidden = !at.front;
  }
  known.forEach((node) => node.remove());
  placeCompass(view, overlay);
  if (!note.hidden && note.dataset.at) {
    const at = view.project(note.dataset.at.split(",").map(Number) as Vector, width, height);
    const x = Math.max(70, Math.min(width - 90, at.x));
    const y = Math.max(24, Math.min(height - 24, at.y));
    note.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
  }
}

function addLabel(overlay: HTMLElement, label: Label): HTMLElement {
  const node = document.createElement("span");
  node.dataset.key = label.key;
  node.className = `axis-label axis-${label.kind}`;
  const below = document.createElement("sub");
  below.textContent = label.below;
  node.append(label.text, below);
  overlay.append(node);
  return node;
}

/** The directions of x, y and z of the base, in the corner; drawn again only where they changed. */
function placeCompass(view: Scene3D, overlay: HTMLElement): void {
  overlay.parentElement!.querySelectorAll<SVGElement>(".compass g").forEach((group, k) => {
    const { x, y, depth } = view.direction(k as 0 | 1 | 2);
    const place = [17 * x, 17 * y, 24 * x, 24 * y].map((value) => value.toFixed(1));
    if (group.dataset.place === String(place)) return;
    group.dataset.place = String(place);
    const [line, text] = group.children;
    [line, line, text, text].forEach((node, n) => node.setAttribute(["x2", "y2", "x", "y"][n], place[n]));
    group.style.opacity = depth > 0.2 ? "0.55" : "1";
  });
}
