// Parallel robots in a browser: their tables are edited, checked, undone and saved, and their motions are played.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { differ, drop, model, page, pixels, pose, simulate, slide, type, visit } from "./support.mjs";

const closed = () => page.waitForSelector("text=Legs closed", { timeout: 120_000 });
const gap = () => page.evaluate(() => {
  const { points, ends } = window.symoroView.last.plate;
  return Math.max(...points.map((p, k) => Math.hypot(...p.map((x, i) => x - ends[k][i]))));
});
const text = (path) => page.textContent(`[data-path="${path}"]`);

async function open(title) {
  await visit();
  await page.click('.switch button:has-text("Parallel")');
  await page.click(`.robot-card:has-text("${title}")`);
  await closed();
}

test("Gough-Stewart: cells of legs, platform and attachments are edited, with messages, undo and a file", async () => {
  await open("6-UPS");
  const first = await pixels();
  await page.click('[role=tab]:has-text("Platform")');
  await type("parallel.legs.1.pose.0.3", "0.55");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=legs are being solved");
  await closed();
  assert.ok((await gap()) < 1e-9, "a leg is open after the edit");
  assert.ok(differ(first, await pixels()) > 20, "the view did not change");
  await type("parallel.inertia.M", "2 *");
  await page.waitForSelector('.pop.error:has-text("A value is missing")');
  await page.keyboard.press("Escape");
  await page.click('[role=tab]:has-text("Geometry")');
  await type("joints.3.d", "D3_1");
  await page.keyboard.press("Enter");
  assert.match(await text("joints.18.d"), /D/, "legs that are alike do not change together");
  await page.waitForSelector('.cell[data-path="joints.3.d"]:not(.error)');
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  assert.match(await text("joints.18.d"), /^0/, "undo left a leg behind");
  await page.uncheck(".alike input");
  await type("joints.3.d", "0.02");
  await page.keyboard.press("Enter");
  assert.match(await text("joints.18.d"), /^0$|^00?$/, "another leg changed");
  await page.waitForSelector("text=legs are being solved");
  await closed();
  assert.ok((await gap()) < 1e-9);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
  const file = readFileSync(await saved.path(), "utf8");
  assert.match(file, /kind = "parallel"/);
  assert.match(file, /0\.55/);
  await page.reload();
  await closed();
  assert.match(await text("joints.3.d"), /0\.02/, "a reload lost the edit");
});

test("a platform moves from its home pose to that of the sliders: torques, scrubbing, and a simulation", async () => {
  await open("3-RRR");
  const home = await pose();
  await slide('input[aria-label="pose x"]', home[0] + 0.08);
  await slide('input[aria-label="pose yaw"]', 0.3);
  const goal = await pose();
  await simulate();
  await page.click(".play");
  assert.match(await page.getAttribute(".plot", "aria-label"), /Γ.*N·m/);
  await slide(".scrub", 0);
  (await pose()).slice(0, 3).forEach((x, k) => assert.ok(Math.abs(x - home[k]) < 2e-3, "the run does not begin at the home pose"));
  const begin = await pixels();
  await slide(".scrub", 0.6);
  await page.waitForTimeout(200);
  assert.ok(Math.abs((await pose())[0] - (home[0] + goal[0]) / 2) < 2e-3, "half of the way at half of the time");
  assert.ok((await gap()) < 1e-7, "a leg is open on the way");
  await slide(".scrub", 1.2);
  await page.waitForTimeout(200);
  assert.ok(differ(begin, await pixels()) > 20, "platform and legs do not move");
  await page.selectOption('.choices select[aria-label="Controller"]', "computed_torque");
  await page.fill('.choices [aria-label^="how far"]', "0.02");
  await simulate();
  await page.click(".play");
  await page.click('.motion .switch button:has-text("Errors")');
  assert.match(await page.getAttribute(".plot", "aria-label"), /e1/);
  await slide(".scrub", 1.5);
  (await pose()).slice(0, 3).forEach((x, k) => assert.ok(Math.abs(x - goal[k]) < 3e-3, "the run does not end at the goal"));
});

test("legs come and go: a copy of the last leg, symbols with the number of their leg, and undo", async () => {
  await open("Planar 3-RRR");
  await page.click('[role=tab]:has-text("Platform")');
  const legs = () => page.locator('[aria-label^="attachment of leg"]').count();
  await page.click('button:has-text("Leg like the last one")');
  assert.equal(await legs(), 4);
  await type("joints.7.gamma", "0.3");
  await page.keyboard.press("Enter");
  await page.click('[role=tab]:has-text("Geometry")');
  assert.match(await text("joints.8.d"), /L/, "the new leg has no rows");
  await page.click('[role=tab]:has-text("Platform")');
  await page.click('[aria-label="Remove leg 2"]');
  assert.equal(await legs(), 3);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
  const file = readFileSync(await saved.path(), "utf8");
  assert.equal(file.match(/\[\[legs\]\]/g).length, 3);
  assert.doesNotMatch(file, /_4\b/, "a symbol of a leg that is gone");
  await page.waitForFunction(() => {
    const { points, ends } = window.symoroView.last.plate;
    const rods = points.map((p, k) => Math.hypot(...p.map((x, i) => x - ends[k][i]))); // from the knee to the platform
    return rods.length === 3 && rods.every((rod) => Math.abs(rod - 0.3) < 1e-9);
  }, null, { timeout: 120_000 });
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  assert.equal(await legs(), 3);
  await closed();
});

test("the working mode is chosen leg by leg: the view and the file follow, legs that go take their branch along", async () => {
  await open("Delta, 3-RUU");
  await page.click('[role=tab]:has-text("Platform")');
  const mode = (leg) => page.locator(`[aria-label="branch of leg ${leg}"]`);
  await mode(2).waitFor({ timeout: 60_000 });
  assert.equal(await mode(2).inputValue(), "1", "the Delta of the library has its cranks outward");
  const outward = await pixels();
  await mode(2).selectOption("0");
  await page.waitForSelector("text=legs are being solved");
  await closed();
  assert.ok(differ(outward, await pixels()) > 20, "the view did not change");
  const saved = async () => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
    return readFileSync(await file.path(), "utf8");
  };
  assert.match(await saved(), /branch = \[1, 0, 1\]/);
  await page.click('[aria-label="Remove leg 2"]');
  assert.match(await saved(), /branch = \[1, 1\]/);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await closed();
  assert.equal(await mode(2).inputValue(), "1");
});

const ARMS = `
[[joints]]
name = "shoulder"
parent = "platform"
alpha = "pi/2"
inertia = {XX = 0.2, YY = 0.3, ZZ = 0.25, MX = 0.4, M = 2}

[[joints]]
name = "elbow"
d = 0.3
inertia = {YY = 0.1, ZZ = 0.12, MX = 0.2, M = 1}

[[joints]]
name = "slider"
parent = 0
d = 0.5
kind = "prismatic"
inertia = {M = 3}

[leg]`;

test("a tripod with an arm on its platform and a slider beside it: tables, sliders, results, a motion and a file", async () => {
  const library = new URL("../../src/symoro/robot/library/parallel/3rps.toml", import.meta.url);
  await visit();
  await drop([["tripod.toml", readFileSync(library, "utf8").replace("[leg]", ARMS)]]);
  await closed();
  /** Wait until a number of a link's frame is this one: 3, 7 and 11 are x, y and z of its origin. */
  const stands = (said, link, place, x, near = 1e-9) => page.waitForFunction(([k, at, value, far]) => Math.abs(window.symoroView.last.frames[k - 1][at] - value) < far, [link, place, x, near])
    .catch(() => assert.fail(said));
  const joint = (name) => `input[aria-label^="${name} "]`;
  await slide(joint("q1"), 0.5);
  await slide(joint("q2"), 0);
  await stands("the elbow is not where the shoulder carries it", 8, 11, 0.9 + 0.3 * Math.sin(0.5));
  await slide('input[aria-label="pose z"]', 0.95);
  await stands("the arm does not go with the platform", 8, 11, 0.95 + 0.3 * Math.sin(0.5));
  assert.ok((await gap()) < 1e-9);
  await slide(joint("q3"), 0.25);
  await stands("the slider does not move", 9, 11, 0.25);
  await stands("the slider is not on the base", 9, 3, 0.5);
  assert.ok(await page.isDisabled(joint("q2_1")), "the motor of a leg follows the platform");
  await type("joints.8.d", "0.4");
  await page.keyboard.press("Enter");
  await stands("an edit did not move the link", 8, 11, 0.95 + 0.4 * Math.sin(0.5));

  await model("Inverse dynamic model");
  await page.click('.switch button:has-text("Values")');
  const weight = 9.81 * (0.4 + 1 * 0.4 + 0.2) * Math.cos(0.5); // MX of the shoulder, M d of the elbow and its MX, at rest
  for (const order of [2, 3, 1]) {
    await page.click(`[aria-label="q, q̇, q̈"] button:nth-child(${order})`);
    if (order > 1) for (const name of ["q1", "q2", "q3"]) await slide(joint(name), 0);
  }
  const says = (said, name, value) => page.waitForFunction(([n, x]) => Math.abs(parseFloat(document.querySelector(`.values td[title="${n}"]`).textContent) - x) < 1e-3, [name, value])
    .catch(() => assert.fail(said));
  await says("the torque of the shoulder is not the weight of the arm", "GAM1", weight);
  await says("the force of the slider is not the weight of its link", "GAM3", 3 * 9.81);

  await simulate();
  await page.click(".play");
  assert.match(await page.getAttribute(".plot", "aria-label"), /Γ2_1, Γ2_2, Γ2_3, Γ1, Γ2, Γ3/);
  await slide(".scrub", 0.6);
  await stands("half of the way of the slider at half of the time", 9, 11, 0.125, 2e-3);
  assert.ok(Math.abs((await pose())[2] - 0.925) < 2e-3, "half of the way of the platform at half of the time");

  await page.click('.row-actions button:has-text("Joint")');
  const antecedent = (j) => page.$eval(`select[aria-label="a(${j})"]`, (node) => node.selectedOptions[0].text);
  assert.equal(await antecedent(7), "P", "the shoulder left the platform");
  await page.selectOption('select[aria-label="a(10)"]', { label: "P" });
  await page.waitForSelector("text=Legs closed");
  await page.click('[role=tab]:has-text("Platform")');
  await page.click('[aria-label="Remove leg 3"]');
  await page.click('[role=tab]:has-text("Geometry")');
  assert.deepEqual([await antecedent(5), await antecedent(6), await antecedent(7), await antecedent(8)], ["P", "5", "0", "P"]);
  await page.keyboard.press("Control+z");
  await page.click('[aria-label="Remove this joint"]');
  await page.selectOption('select[aria-label="Remove this joint"]', "7");
  assert.deepEqual([await antecedent(7), await antecedent(8), await antecedent(9)], ["P", "0", "P"], "what the shoulder carried is on the platform");
  await page.keyboard.press("Control+z");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
  const file = readFileSync(await saved.path(), "utf8");
  assert.equal(file.match(/^\[\[joints\]\]$/gm).length, 4);
  assert.equal(file.match(/^parent = "platform"$/gm).length, 2);
  assert.match(file, /name = "elbow"\nd = 0\.4/);
});
