// Results: their equations, files and reports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { model, page, visit } from "./visit.mjs";

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
