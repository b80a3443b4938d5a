// What people do with the page, in a browser, on the built page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { differ, model, page, pixels, site, type, visit } from "./support.mjs";

const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

test("RX-90: an edit moves the frame, and its C code passes its self-test", async () => {
  await visit({ robot: "RX-90" });
  const first = await pixels();
  assert.ok(new Set(first).size > 20, "the view is blank");
  await type("joints.3.d", "0.9");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(200);
  assert.ok(differ(first, await pixels()) > 60, "the view did not change");
  await page.keyboard.press("Control+z");
  await model("Inverse dynamic model");
  assert.match(await page.textContent(".title-row .badge"), /−11 % against SYMORO\+/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download zip")]);
  const folder = mkdtempSync(join(tmpdir(), "symoro-page-"));
  await download.saveAs(join(folder, "code.zip"));
  execFileSync("python3", ["-m", "zipfile", "-e", "code.zip", "."], { cwd: folder });
  const said = execFileSync("sh", ["-c", "cd rx90_* && cc -O1 -std=c99 rx90_*.c selftest.c -lm -o selftest && ./selftest"], { cwd: folder });
  assert.match(String(said), /passed/);
});

test("pointing at RL4 lights cell, length, equations and code lines, both ways", async () => {
  await visit({ robot: "RX-90" });
  await model("Inverse dynamic model");
  await page.waitForSelector(".code-line");
  await page.fill(".find input", "VSP14");
  await page.waitForSelector(".row .katex");
  const lit = await page.evaluate(async () => {
    const cell = document.querySelector('[data-path="joints.4.r"]');
    const began = performance.now();
    cell.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    await new Promise((done) => setTimeout(done));
    document.body.getBoundingClientRect();
    return { ms: performance.now() - began, rows: document.querySelectorAll(".row.lit").length };
  });
  assert.ok(lit.rows > 0, "no equation is lit");
  console.log(`a link highlight after ${lit.ms.toFixed(0)} ms`);
  await page.waitForTimeout(100);
  assert.ok(await page.isVisible(".dimension"), "no length in the view");
  assert.match(await page.textContent(".dimension"), /0\.450 m/);
  await page.click(".code + .elsewhere");
  await page.waitForSelector(".code-line.lit .symbol.lit");
  await page.mouse.move(5, 5);
  await page.hover('.equation [data-s]:has-text("RL")');
  await page.waitForSelector('[data-path="joints.4.r"].lit');
});

test("SR400: a slider moves and the loop stays closed", async () => {
  await visit({ robot: "SR400", width: 1280, height: 800 });
  await page.waitForSelector("text=Loop closed");
  const before = await page.inputValue('input[aria-label="q3"]');
  await page.focus('[aria-label^="q2 "]');
  for (let k = 0; k < 8; k += 1) await page.keyboard.press("Shift+ArrowRight");
  await page.waitForTimeout(200);
  assert.notEqual(await page.inputValue('input[aria-label="q3"]'), before, "the passive joint did not follow");
  assert.ok(await page.isVisible("text=Loop closed"));
  await page.click("nav >> text=Geometric");
  await page.click('[role=menuitem]:has-text("Geometric constraint")');
  await page.waitForSelector(".row .katex");
  await page.waitForTimeout(300);
  const gaps = await page.$$eval(".row", (rows) => rows.filter((r) => r.ariaLabel.startsWith("E")).map((r) => Number(r.lastElementChild.textContent)));
  assert.ok(gaps.length === 2 && gaps.every((x) => Math.abs(x) < 1e-9), String(gaps));
});

test("PUMA: eight branches, each reaches the pose", async () => {
  await visit({ robot: "Unimation PUMA 560" });
  await page.click('.empty button:has-text("Inverse geometric model")');
  await page.waitForSelector(".branch");
  assert.equal(await page.locator(".branch").count(), 8);
  assert.match(await page.textContent(".branch-foot"), /8 of 8 branches/);
  const pose = await page.textContent(".pose");
  await page.locator(".branch").nth(5).click();
  await page.waitForTimeout(700);
  const numbers = (text) => text.match(/-?\d+\.\d+/g).slice(0, 3).map(Number);
  numbers(await page.textContent(".pose")).forEach((x, k) => assert.ok(Math.abs(x - numbers(pose)[k]) < 2e-3));
  await page.fill('[aria-label="Px"]', "3");
  await page.waitForSelector("text=not reachable");
});

test("a wrong cell shows its message and its repair; reload keeps the work", async () => {
  await visit({ robot: "RX-90", width: 1280, height: 800 });
  await type("joints.3.d", "D3 +");
  await page.waitForSelector(".pop.error");
  assert.match(await page.textContent(".pop.error"), /A value is missing after “\+”.*Joint 3, d/s);
  assert.equal(await page.getAttribute('[data-path="joints.3.d"]', "aria-invalid"), "true");
  await page.waitForTimeout(500);
  await page.reload();
  await page.waitForSelector('[data-path="joints.3.d"].error');
  assert.equal(await page.textContent('[data-path="joints.3.d"] code'), "D3 +");
  await page.keyboard.press("Control+z");
  await page.waitForSelector('[data-path="joints.3.d"]:not(.error)');
});

test("a long search is cancelled, and the former result stays", async () => {
  await visit({ robot: "Unimation PUMA 560" });
  await model("Inverse dynamic model");
  await page.selectOption('.option select[aria-label^="Reduce"]', "1");
  await page.click(".running button");
  await page.waitForSelector(".notice");
  assert.ok((await page.locator(".row").count()) > 5);
});

test("a file is dropped; French; the palette; a link carries a robot", async () => {
  await visit();
  const text = "format = 1\nname = 'dropped'\n[[joints]]\n[[joints]]\nd = 'L1'\n";
  await page.evaluate((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "dropped.toml"));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, text);
  await page.waitForSelector('.robot-name:has-text("dropped")');
  await page.click('.language');
  await page.waitForSelector('nav >> text="Dynamique"');
  assert.equal(await page.getAttribute("html", "lang"), "fr");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("inm");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".row");
  await page.click('[aria-label="Partager un lien"]');
  const link = await page.waitForFunction(() => document.querySelector("dialog textarea").value).then((h) => h.jsonValue());
  const other = await page.context().newPage();
  await other.goto("about:blank");
  await other.evaluate(() => undefined);
  await other.goto(link);
  await other.waitForSelector('.robot-name:has-text("dropped")');
  assert.ok(!other.url().includes("robot="));
});

test("symoro gui ROBOT opens the page with a robot", async () => {
  await visit();
  const code = "import symoro; from symoro.web.serve import packed; print(packed(symoro.load('sr400')))";
  const robot = execFileSync(process.env.PYTHON ?? "python", ["-c", code], { encoding: "utf8" }).trim();
  const other = await page.context().newPage();
  await other.goto(`${site.url}#robot=${robot}`);
  await other.waitForSelector('.robot-name:has-text("SR400")');
});

test("zoom of 200 % gives the layout of a tablet without loss", async () => {
  await visit({ robot: "RX-90", width: 720, height: 450, deviceScaleFactor: 2 });
  assert.ok(await page.isVisible(".sheet [role=grid]"));
  await page.setViewportSize({ width: 1024, height: 768 });
  for (const name of ["Joints", "Motion", "Symbols", "Table"]) await page.click(`.sheet [role=tab]:has-text("${name}")`);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1024);
});

for (const theme of ["light", "dark"])
  test(`axe finds nothing serious, ${theme}`, async () => {
    await visit({ colorScheme: theme });
    const look = async () => {
      await page.evaluate(AXE).catch(() => page.addScriptTag({ content: AXE }));
      const { violations } = await page.evaluate(() => window.axe.run());
      const bad = violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`);
      assert.deepEqual(bad, []);
    };
    await look();
    await page.click('.robot-card:has-text("RX-90")');
    await page.waitForSelector("[role=grid]");
    await model("Inverse dynamic model");
    await page.waitForSelector(".code-line");
    await page.waitForTimeout(500);
    await look();
  });

test("figures, printed: time to interactive, frames a second of the humanoid while a slider moves", async () => {
  await visit({ width: 1280, height: 800 });
  const began = Date.now();
  await page.reload();
  await page.waitForSelector(".robot-card");
  console.log(`interactive after ${Date.now() - began} ms`);
  await page.click('.robot-card:has-text("Humanoid")');
  await page.waitForFunction(() => window.symoroView?.drawn > 0);
  await page.waitForTimeout(1500);
  const frames = await page.evaluate(async () => {
    const slider = document.querySelector(".slider input[type=range]");
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    const first = window.symoroView.drawn;
    const start = performance.now();
    for (let k = 0; performance.now() - start < 2000; k += 1) {
      set.call(slider, String(Math.sin(k / 20)));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(done));
    }
    return (window.symoroView.drawn - first) / 2;
  });
  console.log(`${frames} frames a second`);
  assert.ok(frames > 0);
});
