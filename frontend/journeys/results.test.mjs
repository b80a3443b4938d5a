// Results: their equations, files and reports.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { model, page, type, visit } from "./support.mjs";

test("equations are written out, and one that is too long says so", async () => {
  await visit({ robot: "RX-90" });
  await model("Inverse dynamic model");
  const named = await page.locator(".row").count();
  await page.selectOption('[aria-label="Form of the equations"]', "expanded");
  await page.waitForSelector(".expanded .row .katex");
  const labels = await page.$$eval(".expanded .row", (rows) => rows.map((r) => r.ariaLabel));
  assert.ok(labels.some((text) => text.startsWith("GAM6 = ") && text.includes("ZZ6") && !text.includes("WI")), String(labels));
  assert.match(await page.textContent(".too-long"), /\d+ operations/);
  await page.waitForFunction(() => !document.querySelector(".expanded .katex-error"));
  const torque = (await page.$$eval(".torque", (all) => all.map((n) => Number(n.textContent))))[5];
  const value = await page.$$eval(".expanded .row", (rows) => Number(rows.find((r) => r.ariaLabel.startsWith("GAM6 = ")).lastElementChild.textContent));
  assert.ok(Math.abs(value - torque) < 0.01, `${value} is not ${torque}`);
  await page.selectOption('[aria-label="Form of the equations"]', "named");
  await page.waitForFunction((n) => document.querySelectorAll(".row").length === n, named);
});

test("a report of edited work, as HTML, PDF and a notebook", async () => {
  await visit({ robot: "Planar 2R arm in a vertical plane" });
  await type("joints.2.d", "2*L1");
  await page.keyboard.press("Enter");
  await model("Inverse dynamic model");
  await page.click('[aria-label="Report"]');
  const file = async (title) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`dialog button:has-text("${title}")`)]);
    const path = join(mkdtempSync(join(tmpdir(), "symoro-report-")), download.suggestedFilename());
    await download.saveAs(path);
    return readFileSync(path);
  };
  const html = String(await file("HTML"));
  assert.match(html, /2\*L1/);
  assert.match(html, /<math>/);
  assert.equal(String((await file("PDF")).subarray(0, 5)), "%PDF-");
  const book = JSON.parse(String(await file("Notebook")));
  const code = book.cells.filter((c) => c.cell_type === "code").map((c) => c.source.join(""));
  assert.match(code[0], /2\*L1/);
  assert.ok(code.some((text) => text.includes('symoro.inverse_dynamics(robot, params=\'base\')')), String(code));
});

test("Back returns to the equation, then to the start page; Forward returns to the work", async () => {
  await visit({ robot: "RX-90", width: 1280, height: 800 });
  await model("Inverse dynamic model");
  await page.waitForSelector(".row .katex");
  const top = () => page.$eval(".equations.scroll", (pane) => pane.scrollTop);
  await page.$eval(".equations.scroll", (pane) => pane.scrollTo({ top: pane.scrollHeight }));
  await page.waitForTimeout(500);
  const before = await top();
  await page.$$eval(".equation [data-s]", (all) => all.filter((mark) => mark.textContent.startsWith("C")).pop().click());
  await page.waitForFunction((y) => Math.abs(document.querySelector(".equations.scroll").scrollTop - y) > 200, before);
  await page.goBack();
  await page.waitForFunction((y) => Math.abs(document.querySelector(".equations.scroll").scrollTop - y) < 60, before);
  await type("joints.3.d", "0.77");
  await page.keyboard.press("Enter");
  await page.goBack();
  await page.waitForSelector(".robot-card");
  await page.goForward();
  await page.waitForSelector('.robot-name:has-text("RX-90")');
  assert.equal(await page.getAttribute('[data-path="joints.3.d"]', "data-path"), "joints.3.d");
  assert.match(await page.textContent('[data-path="joints.3.d"]'), /0\.77/);
});
