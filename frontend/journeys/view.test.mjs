// Links and results on the page: a link is chosen in the view, results scroll together, the workspace is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differ, model, page, pixels, visit } from "./support.mjs";

/** A place on the page under which a link is drawn; 0 is the base. */
const placeOf = (link) => page.evaluate((wanted) => {
  const box = document.querySelector(".view canvas").getBoundingClientRect();
  const [columns, rows] = [60, 60];
  const found = [];
  for (let i = 1; i < columns; i += 1)
    for (let k = 1; k < rows; k += 1) {
      const at = { x: box.left + (box.width * i) / columns, y: box.top + (box.height * k) / rows };
      const free = document.elementFromPoint(at.x, at.y)?.tagName === "CANVAS";
      if (free && window.symoroView.pick((2 * i) / columns - 1, 1 - (2 * k) / rows) === wanted) found.push(at);
    }
  return found[Math.floor(found.length / 2)];
}, link);

const litRow = (joint) => page.waitForSelector(`.grid-row.lit[data-joint="${joint}"]`);
const links = (selector) => page.$$eval(selector, (nodes) => [...new Set(nodes.map((n) => n.dataset.link))]);

test("a link of the view lights its row, equations and lines of code; a click keeps it", async () => {
  await visit({ robot: "RX-90" });
  await model("Inverse dynamic model");
  await page.waitForSelector(".code-line");
  const before = await pixels();
  const { x, y } = await placeOf(3);
  await page.mouse.move(x, y);
  await litRow(3);
  assert.ok(differ(before, await pixels()) > 20, "the link is not lit in the view");
  assert.deepEqual(await links(".row.lit"), ["3"]);
  assert.deepEqual(await links(".code-line.lit"), ["3"]);
  await page.mouse.click(x, y);
  await page.mouse.move(5, 5);
  await litRow(3);
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  await page.waitForFunction(() => {
    const box = document.querySelector(".code.scroll").getBoundingClientRect();
    return [...document.querySelectorAll(".code-line.lit")].some((line) => line.getBoundingClientRect().top > box.top && line.getBoundingClientRect().bottom < box.bottom);
  });
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".lit").count(), 0);
});

test("links by the keys, and from equations and code to the view", async () => {
  await visit({ robot: "RX-90" });
  await model("Inverse dynamic model");
  await page.waitForSelector(".code-line");
  await page.focus(".view");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await litRow(2);
  const angle = () => page.inputValue('input[aria-label="q2"]').then(Number);
  const start = await angle();
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  assert.ok(Math.abs((await angle()) - start - 2) < 0.11, `moved from ${start} to ${await angle()}`);
  await page.keyboard.press("Shift+Tab");
  await litRow(1);
  await page.focus('.group[data-link="3"] .group-head');
  await litRow(3);
  await page.focus(".equations.scroll");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const chosen = await page.getAttribute(".row.chosen", "aria-label");
  assert.match(await page.textContent(".symbol-card b"), new RegExp(`^${chosen.split(" = ")[0]}$`));
  await page.focus(".code.scroll");
  await page.keyboard.press("ArrowDown");
  await page.waitForSelector(".code-line[data-chosen].lit .symbol.lit");
  await page.hover('.code-line[data-link="3"] .row-number');
  await litRow(3);
});

test("the frame of a Jacobian is chosen in the view", async () => {
  await visit({ robot: "RX-90" });
  await model("Jacobian matrix");
  const select = page.locator(".option:has(.icon-button) select").first();
  const before = await select.evaluate((node) => node.selectedOptions[0].textContent);
  await page.click(".option .icon-button >> nth=0");
  await page.waitForSelector(".pick-note");
  const { x, y } = await placeOf(3);
  await page.mouse.click(x, y);
  await page.waitForFunction((text) => document.querySelector(".option:has(.icon-button) select").selectedOptions[0].textContent !== text, before);
  assert.match(await select.evaluate((node) => node.selectedOptions[0].textContent), /^3 /);
  assert.equal(await page.locator(".pick-note").count(), 0);
  await page.waitForFunction(() => !document.querySelector(".running"));
  await page.click(".option .icon-button >> nth=0");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /^2 /.test(document.querySelector(".option:has(.icon-button) select").selectedOptions[0].textContent));
});

/** Wait until the row of a symbol stands at the same height in both results. */
const level = (name) => page.waitForFunction((wanted) => {
  const heights = [...document.querySelectorAll(".equations.scroll")].map((pane) => {
    const row = [...pane.querySelectorAll(".row")].find((node) => node.ariaLabel.startsWith(`${wanted} = `));
    return row.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  });
  return heights.length === 2 && Math.abs(heights[0] - heights[1]) < 45;
}, name, { timeout: 10_000 });
/** Scroll a result so that the row of a symbol is its first one. */
const bring = (side, name) => page.evaluate(([k, wanted]) => {
  const pane = document.querySelectorAll(".equations.scroll")[k];
  const row = [...pane.querySelectorAll(".row")].find((node) => node.ariaLabel.startsWith(`${wanted} = `));
  pane.scrollTop += row.getBoundingClientRect().top - pane.getBoundingClientRect().top;
}, [side, name]);

test("results side by side scroll together where they have the same symbols, and can be parted", async () => {
  await visit({ robot: "RX-90" });
  await model("Inverse dynamic model");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("inverse dynamic");
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector(".sides.two .result:nth-child(2) .row");
  await page.selectOption('.result:nth-child(2) .option select[aria-label^="Parameters"]', "0");
  await page.waitForFunction(() => !document.querySelector(".running"));
  for (const side of [1, 2]) await page.click(`.result:nth-child(${side}) .switch button:has-text("Equations")`);
  await page.waitForTimeout(400);
  const rows = await page.$$eval(".result", (all) => all.map((r) => r.querySelectorAll(".row").length));
  assert.notEqual(rows[0], rows[1], "the two results are the same");
  const names = await page.$$eval(".equations.scroll", (panes) => {
    const [first, second] = panes.map((pane) => [...pane.querySelectorAll(".row")].map((row) => row.ariaLabel.split(" = ")[0]));
    const common = first.filter((name) => second.includes(name) && !/^X\d/.test(name));
    return [0.25, 0.4, 0.55].map((part) => common[Math.floor(part * common.length)]);
  });
  for (const name of names) {
    await bring(0, name);
    await level(name);
  }
  await bring(1, names[0]);
  await level(names[0]);
  await page.click('[aria-label="scroll together"]');
  const rest = await page.$eval(".equations.scroll", (pane) => pane.scrollTop);
  await bring(1, names[2]);
  await page.waitForTimeout(500);
  assert.equal(await page.$eval(".equations.scroll", (pane) => pane.scrollTop), rest);
});

const REACHED = [["RX-90", 6000, 0.85, 0.9], ["SR400", 200, 0.5, 4], ["Gough-Stewart", 100, 0.3, 6]];
for (const [robot, least, low, high] of REACHED)
  test(`the workspace of ${robot} is shown as points`, async () => {
    await visit({ robot, width: 1280, height: 800 });
    await page.waitForSelector(".badge.good, .structure .link");
    const before = await pixels();
    await page.click('.view-tools [aria-label="workspace"]');
    await page.waitForSelector(".cloud-note:has-text('points')");
    const [count, far] = (await page.textContent(".cloud-note")).match(/[\d.]+/g).map(Number);
    assert.ok(count >= least, `${count} points`);
    assert.ok(far >= low && far <= high, `${far} m`);
    assert.ok(differ(before, await pixels()) > 60, "no points in the view");
    await page.click('.view-tools [aria-label="workspace"]');
    assert.equal(await page.locator(".cloud-note").count(), 0);
  });

test("columns are dragged, kept over a reload, and a double click brings them back", async () => {
  await visit({ robot: "RX-90" });
  const width = () => page.$eval(".robot-column", (node) => Math.round(node.getBoundingClientRect().width));
  const first = await width();
  const box = await page.locator(".split-robot").boundingBox();
  await page.mouse.move(box.x + 4, 400);
  await page.mouse.down();
  await page.mouse.move(box.x + 64, 400, { steps: 4 });
  await page.mouse.up();
  assert.equal(await width(), first + 60);
  await page.waitForTimeout(500);
  await page.reload();
  await page.waitForSelector(".robot-column");
  assert.equal(await width(), first + 60);
  await page.dblclick(".split-robot");
  assert.equal(await width(), first);
});

for (const [width, height] of [[768, 1024], [1024, 768]])
  test(`a tablet of ${width} × ${height}: a tap chooses a link, nothing is cut off`, async () => {
    await visit({ robot: "RX-90", width, height, hasTouch: true, isMobile: true });
    const { x, y } = await placeOf(3);
    await page.touchscreen.tap(x, y);
    await litRow(3);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    const small = await page.$$eval("button, select, input, [role=tab]", (all) => all.filter((n) => n.checkVisibility({ opacityProperty: true }) && !n.disabled).map((n) => [n.ariaLabel ?? n.textContent, n.getBoundingClientRect()]).filter(([, b]) => b.width > 0 && (b.width < 24 || b.height < 24)).map(([name, b]) => `${name} ${b.width} × ${b.height}`));
    assert.deepEqual(small, []);
  });
