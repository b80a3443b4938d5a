import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The page is served by symoro itself, under a content security policy that allows files of its own only.
export default defineConfig({
  plugins: [react()],
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
