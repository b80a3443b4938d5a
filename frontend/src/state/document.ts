// The robot that is edited: its table, what was before and after, and what the checks say of it.

import type { Checked, StructureData } from "../api";
import type { Robot } from "../robot";

export interface DocumentState {
  library: { structure: string; robot: Robot }[];
  failure: string;
  robot: Robot | null;
  saved: Robot | null;
  past: Robot[];
  future: Robot[];
  changed: string;
  valid: Record<string, string>;
  checked: Checked;
  checking: boolean;
  structure: StructureData | null;
  recent: { at: number; robot: Robot }[];
  /** Whether an edit of one leg is one of each leg that has the same text there. */
  alike: boolean;
}

/** What another robot begins with. */
export const UNEDITED = { past: [], future: [], changed: "", valid: {}, checked: { problems: [], models: null }, structure: null } satisfies Partial<DocumentState>;

export const DOCUMENT: DocumentState = { ...UNEDITED, library: [], failure: "", robot: null, saved: null, checking: false, recent: [], alike: true };
