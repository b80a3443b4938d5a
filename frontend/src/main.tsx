import "@fontsource-variable/inter/index.css";
import "@fontsource/jetbrains-mono/latin-400.css";
import "@fontsource/jetbrains-mono/latin-600.css";
import "./styles.css";
import { createRoot } from "react-dom/client";
import * as api from "./api";
import { App, loadWork } from "./app";
import { listen } from "./keyboard";
import { keepWork, restore } from "./persist";
import { listenToBack } from "./places";
import { set } from "./store";

async function begin(): Promise<void> {
  createRoot(document.getElementById("root")!).render(<App />);
  listen();
  listenToBack();
  try {
    set({ facts: await api.facts() });
    await restore();
    keepWork();
    set({ library: await api.library() });
    void loadWork();
  } catch (error) {
    set({ failure: (error as Error).message });
  }
}

void begin();
