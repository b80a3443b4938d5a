// A page in a browser for journeys: each file of journeys has its own server and browser.
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import { awake, browser, server } from "../browser.mjs";

export let site;
let chrome;
export let page;
let errors = [];
let foreseen = null;

before(async () => {
  site = await server();
  await awake(site.url);
  chrome = await browser();
});
after(async () => {
  await chrome?.close();
  site?.stop();
});
afterEach(async () => {
  await page?.context().close();
  assert.deepEqual(errors.filter((text) => !foreseen?.test(text)), [], "the page reported errors");
});

/** Errors that a journey causes on purpose: browsers report each answer that refuses something. */
export const foresee = (pattern) => void (foreseen = pattern);

export async function visit({ width = 1440, height = 900, robot = "", ...more } = {}) {
  const context = await chrome.newContext({ viewport: { width, height }, acceptDownloads: true, locale: "en-GB", colorScheme: "light", ...more });
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  errors = [];
  foreseen = null;
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(site.url);
  await page.waitForSelector(".robot-card");
  if (robot) {
    await page.click(`.robot-card:has-text("${robot}")`);
    await page.waitForSelector("[role=grid]");
    await page.waitForFunction(() => window.symoroView?.drawn > 0 && window.symoroView.labels.length > 0);
  }
  return page;
}

export async function model(title) {
  await page.click(`.empty button:has-text("${title}")`);
  await page.waitForSelector(".row");
}

/** The pixels of the view, small: to see that it is not blank, and that it changed. */
export const pixels = () => page.evaluate(() => {
  window.symoroView.draw();
  const small = document.createElement("canvas");
  small.width = small.height = 64;
  const pen = small.getContext("2d");
  pen.drawImage(document.querySelector(".view canvas"), 0, 0, 64, 64);
  return [...pen.getImageData(0, 0, 64, 64).data];
});
export const differ = (a, b) => a.filter((x, k) => Math.abs(x - b[k]) > 24).length;

export async function type(path, text) {
  await page.focus(`[data-path="${path}"]`);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

/** The pose of the end effector or of the platform, as the view shows it. */
export const pose = () => page.$$eval(".pose .digits", (nodes) => nodes.map((node) => parseFloat(node.textContent)));

/** Put a range to a number as a hand does. */
export const slide = (selector, value) => page.evaluate(([where, x]) => {
  const slider = document.querySelector(where);
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(slider, String(x));
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}, [selector, value]);

/** Simulate: the run plays when it is there. */
export async function simulate() {
  await page.click('.choices button:has-text("Simulate")');
  await page.waitForFunction(() => document.querySelector(".play")?.ariaLabel === "pause", null, { timeout: 120_000 });
}

/** Drop files on the page: pairs of a name and a content. */
export const drop = (files) => page.evaluate((given) => {
  const data = new DataTransfer();
  for (const [name, content] of given) data.items.add(new File([typeof content === "string" ? content : new Uint8Array(content)], name));
  dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
}, files);
