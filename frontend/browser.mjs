// Starts the server of the page and Chromium, for journeys and pictures. CHROMIUM and PYTHON name other ones than the usual.
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--no-first-run", "--hide-scrollbars"];

export const browser = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS });

/** The server on a free port: its address, and a function that ends it. */
export function server(...options) {
  const child = spawn(process.env.PYTHON ?? "python3", ["-m", "symoro", "gui", "--port", "0", "--no-browser", ...options], { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let said = "";
    child.on("exit", () => reject(new Error(`symoro gui ended: ${said}`)));
    child.stderr.on("data", (data) => {
      said += data;
      const found = /http:\/\/\S+/.exec(said);
      if (found) resolve({ url: found[0], stop: () => child.kill("SIGINT") });
    });
  });
}

/** Wait until the server answers. */
export async function awake(url) {
  for (let k = 0; k < 200; k += 1) {
    try {
      if ((await fetch(`${url}api/library`)).ok) return;
    } catch {
      // not yet
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${url} does not answer`);
}
