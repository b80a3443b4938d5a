// Screenshots of the main views, from the built page: node frontend/pictures.mjs FOLDER
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { awake, browser, server } from "./browser.mjs";

const folder = process.argv[2] ?? "docs/pictures";
mkdirSync(folder, { recursive: true });
const site = await server();
await awake(site.url);
const chrome = await browser();

async function visit(robot, { width = 1440, height = 900, theme = "light" } = {}) {
  const context = await chrome.newContext({ viewport: { width, height }, locale: "en-GB", colorScheme: theme });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(site.url);
  await page.waitForSelector(".robot-card");
  if (robot) {
    await page.click(`.robot-card:has-text("${robot}")`);
    await page.waitForFunction(() => window.symoroView?.drawn > 0);
    await page.waitForSelector(".structure .link, .badge.good");
  }
  return page;
}

async function show(page, title) {
  await page.click(`.empty button:has-text("${title}")`);
  await page.waitForSelector(".row .katex, .branch");
}

async function shot(page, name) {
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, `page-${name}.png`) });
  await page.context().close();
}

let page = await visit("", { width: 1280, height: 800 });
await page.waitForTimeout(4000);
await shot(page, "start");

page = await visit("RX-90");
await show(page, "Inverse dynamic model");
await page.waitForSelector(".code-line");
await shot(page, "main");

page = await visit("RX-90", { theme: "dark" });
await show(page, "Inverse dynamic model");
await page.waitForSelector(".code-line");
await page.hover('[data-path="joints.4.r"]');
await page.waitForTimeout(300);
for (const pane of [".equations", ".code"]) {
  await page.evaluate((selector) => document.querySelector(`${selector} + .elsewhere, ${selector} ~ .elsewhere`)?.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true })), pane);
  await page.waitForTimeout(300);
}
await shot(page, "linked");

page = await visit("RX-90");
await show(page, "Inverse dynamic model");
await page.waitForSelector(".code-line");
await page.focus(".view");
for (let k = 0; k < 3; k += 1) await page.keyboard.press("Tab");
await page.keyboard.press("Enter");
await page.$eval(".view", (node) => node.blur());
await shot(page, "link");

page = await visit("RX-90");
await show(page, "Inverse dynamic model");
await page.keyboard.press("Control+k");
await page.keyboard.type("inverse dynamic");
await page.keyboard.press("Control+Enter");
await page.waitForSelector(".result:nth-child(2) .row");
await page.selectOption('.result:nth-child(2) .option select[aria-label^="Parameters"]', "0");
await page.waitForFunction(() => !document.querySelector(".running"));
for (const side of [1, 2]) await page.click(`.result:nth-child(${side}) .switch button:has-text("Equations")`);
await page.waitForTimeout(500);
await page.$eval(".equations.scroll", (pane) => pane.scrollTo({ top: 700 }));
await shot(page, "beside");

page = await visit("Unimation PUMA 560");
await show(page, "Inverse geometric model");
await shot(page, "branches");

page = await visit("SR400", { width: 1280, height: 800 });
await page.click("nav >> text=Geometric");
await page.click('[role=menuitem]:has-text("Geometric constraint")');
await page.waitForSelector(".row .katex");
await page.click('.view-tools [aria-label="workspace"]');
await page.waitForSelector('.cloud-note:has-text("points")');
await shot(page, "loop");

page = await visit("RX-90", { width: 1280, height: 800 });
await show(page, "Inverse dynamic model");
await page.hover('[data-path="joints.4.r"]');
await page.keyboard.press("l");
await page.keyboard.press("p");
await page.waitForTimeout(500);
for (let k = 0; k < 3; k += 1) await page.keyboard.press("n");
await shot(page, "projector");

await chrome.close();
site.stop();
