// Files that are dropped together: a robot and its meshes, alone or in a zip. They stay in the browser.

import { unzipSync } from "three/addons/libs/fflate.module.js";
import type { Visual } from "./api";

export interface Dropped { path: string; bytes: Uint8Array }
export interface Dress { visuals: Visual[]; meshes: Map<string, Dropped> }

const MEGABYTE = 1_000_000;
const MOST = 200 * MEGABYTE;
const MESHES = /\.(stl|obj|dae)$/i;
const dresses = new Map<string, Dress>();

export const dressOf = (robot: string): Dress | null => dresses.get(robot) ?? null;

/** All files, those of zips among them. */
export async function unpacked(files: File[]): Promise<Dropped[]> {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > MOST) throw new Error(`the files are too large together (at most ${MOST / MEGABYTE} MB)`);
  const found: Dropped[] = [];
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (/\.zip$/i.test(file.name)) found.push(...zipped(bytes));
    else found.push({ path: file.webkitRelativePath || file.name, bytes });
  }
  return found;
}

function zipped(bytes: Uint8Array): Dropped[] {
  let total = 0;
  const fits = ({ originalSize }: { originalSize: number }) => (total += originalSize) <= MOST;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(bytes, { filter: (entry: { originalSize: number }) => fits(entry) });
  } catch {
    throw new Error("the zip cannot be read");
  }
  if (total > MOST) throw new Error(`the zip is too large (at most ${MOST / MEGABYTE} MB)`);
  return Object.entries(entries).filter(([path]) => !path.endsWith("/") && !path.startsWith("__MACOSX")).map(([path, content]) => ({ path, bytes: content }));
}

/** The one file that describes a robot. */
export function robotFile(all: Dropped[], suffixes: string[]): Dropped {
  const ending = (file: Dropped) => suffixes.findIndex((suffix) => file.path.toLowerCase().endsWith(suffix));
  const robots = all.filter((file) => ending(file) >= 0 && !/package\.xml$|CMakeLists/i.test(file.path));
  const urdf = robots.filter((file) => /\.urdf$/i.test(file.path));
  const chosen = robots.length === 1 ? robots : urdf;
  if (!robots.length) throw new Error(`no robot is among the files (allowed: ${suffixes.join(", ")})`);
  if (chosen.length !== 1) throw new Error(`several robots are among the files: ${robots.slice(0, 5).map((f) => f.path).join(", ")}; drop one of them`);
  if (chosen[0].bytes.length > 2 * MEGABYTE) throw new Error("the file is too large (at most 2 MB)");
  return chosen[0];
}

/** Keep what a robot looks like; the names of meshes that are not there. */
export function dress(robot: string, visuals: Visual[], all: Dropped[]): string[] {
  const files = all.filter((file) => MESHES.test(file.path));
  const meshes = new Map<string, Dropped>();
  const missing = new Set<string>();
  for (const { kind, mesh } of visuals) {
    if (kind !== "mesh") continue;
    const file = nearest(mesh, files);
    if (file) meshes.set(mesh, file);
    else missing.add(mesh);
  }
  dresses.clear();
  if (visuals.length) dresses.set(robot, { visuals, meshes });
  return [...missing];
}

/** The file whose path has the most folders in common with a name, from its end on. */
function nearest(name: string, files: Dropped[]): Dropped | null {
  const wanted = parts(name.replace(/^[a-z]+:\/\//i, ""));
  const common = (file: Dropped) => {
    const path = parts(file.path);
    let k = 0;
    while (k < Math.min(path.length, wanted.length) && path[path.length - 1 - k] === wanted[wanted.length - 1 - k]) k += 1;
    return k;
  };
  const best = files.reduce<Dropped | null>((found, file) => (common(file) > (found ? common(found) : 0) ? file : found), null);
  return best;
}

const parts = (path: string) => plain(path).toLowerCase().split(/[\\/]/).filter((x) => x && x !== "." && x !== "..");

const plain = (path: string) => {
  try {
    return decodeURI(path);
  } catch {
    return path; // a lone per cent sign
  }
};
