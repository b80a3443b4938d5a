// Colours for what is drawn and not styled: the view and the curves. The tokens are those of styles.css.

import type { Colours } from "./scene3d";

export const JOINTS = {
  light: ["#2563EB", "#0B8276", "#C2410C", "#7C3AED", "#BE185D", "#4A7A0C", "#0369A1", "#64748B"],
  dark: ["#7AA2FF", "#3DD6C4", "#FF9B66", "#B69CFF", "#FF85B3", "#A6D154", "#5CC8F2", "#A3AEC0"],
};

export function colours(theme: string): Colours {
  return theme === "dark"
    ? { joints: JOINTS.dark, x: "#FF7A75", y: "#5FD38A", z: "#7AA2FF", link: "#A9B4C4", body: "#5D6F8B", cloud: "#8FB1FF", ground: "#0B0E13", grid: "#2A3240", shadow: "#0A0D12", dimension: "#F2B632", lit: "#C9B27A" }
    : { joints: JOINTS.light, x: "#D92D3A", y: "#15844A", z: "#2456D6", link: "#DDE1E8", body: "#5B6B84", cloud: "#2456D6", ground: "#EEF1F5", grid: "#D5DAE2", shadow: "#D3D8E0", dimension: "#B26B00", lit: "#E9D09A" };
}

export const jointColour = (j: number) => `var(--joint-${((j - 1) % 8) + 1})`;
