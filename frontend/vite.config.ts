import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { slimThree } from "./slim_three.ts";

const LETTERS = /latin-wght|greek-wght|latin-400|latin-600|KaTeX/;

/** Fonts as woff2 only, which every browser reads, and of the letters that the page has. */
const fonts = {
  name: "fonts",
  enforce: "pre" as const,
  transform(css: string, id: string) {
    if (!/(katex|fontsource).*\.css$/.test(id)) return null;
    const slim = css.replace(/@font-face\s*\{[^}]*\}/g, (face) => (LETTERS.test(face) ? face.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\([^)]*\)/g, "") : ""));
    return { code: slim, map: null };
  },
};

// The page is served by symoro itself, under a content security policy that allows files of its own only.
export default defineConfig({
  plugins: [slimThree(), fonts, react()],
  base: "./",
  build: {
    outDir: "../src/symoro/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
});
