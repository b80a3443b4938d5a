// What the page shows: theme, language, panes, dialogs, and what is linked in all places.

export interface Linked {
  /** A symbol by its name, or a joint. */
  symbol: string | null;
  joint: number | null;
  /** The cell at which one points, if it is a cell: its length or angle is drawn. */
  cell: string | null;
  pinned: boolean;
}

export interface Sizes { robot: number | null; results: number | null; code: number | null }

export interface ViewState {
  linked: Linked;
  /** Widths that were dragged, in pixels; null: those of the layout. `code` is the part of the height that code has. */
  sizes: Sizes;
  table: "geometry" | "inertia" | "drives" | "base" | "loops";
  sheet: "table" | "joints" | "motion" | "symbols";
  /** What a small window shows. */
  place: "robot" | "view" | "result";
  editing: string | null;
  menu: string | null;
  dialog: "share" | "shortcuts" | "report" | null;
  palette: boolean;
  find: string;
  theme: "light" | "dark";
  language: "en" | "fr";
  projector: boolean;
  keys: boolean;
  folded: { robot: boolean; results: boolean; dock: boolean };
  show: { frames: boolean; links: boolean; labels: boolean; meshes: boolean; workspace: boolean };
  /** Whether files with visuals were dropped, and a number that grows with each. */
  dressed: number;
  branches: "all" | "one";
  dragging: boolean;
}

export const UNLINKED: Linked = { symbol: null, joint: null, cell: null, pinned: false };

const dark = matchMedia("(prefers-color-scheme: dark)").matches;

export const VIEW: ViewState = {
  linked: UNLINKED, sizes: { robot: null, results: null, code: null }, table: "geometry", sheet: "table", place: window.innerHeight < 600 ? "robot" : "view",
  editing: null, menu: null, dialog: null, palette: false, find: "", theme: dark ? "dark" : "light", language: navigator.language.startsWith("fr") ? "fr" : "en",
  projector: false, keys: true, folded: { robot: false, results: false, dock: window.innerWidth < 1400 },
  show: { frames: true, links: true, labels: true, meshes: true, workspace: false }, dressed: 0, branches: "all", dragging: false,
};
