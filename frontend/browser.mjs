// Starts Chromium for tests and screenshots. CHROMIUM names another one than Debian's.
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--no-first-run", "--hide-scrollbars"];

export async function browser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS });
}
