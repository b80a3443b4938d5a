// Motions in a browser, on the built page: a simulated run, a free base, a platform.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differ, page, pixels, pose, simulate, slide, visit } from "./support.mjs";


test("a simulation under computed torque is played, paused and scrubbed, with torques and errors", async () => {
  await visit({ robot: "RX-90" });
  await page.click('nav >> text="Motion"');
  await page.click('[role=menuitem]:has-text("Computed torque")');
  await page.fill('.choices [aria-label^="how far"]', "0.05");
  const goal = await pose();
  await simulate();
  const first = await pixels();
  await page.waitForTimeout(500);
  assert.ok(differ(first, await pixels()) > 60, "the robot does not move while it plays");
  await page.click(".play");
  const cursor = () => page.getAttribute(".plot .cursor", "x1").then(Number);
  await slide(".scrub", 0);
  const begin = await cursor();
  const off = Number(await page.inputValue('input[aria-label="q1"]'));
  assert.ok(Math.abs(off - (0.05 * 180) / Math.PI) < 0.2, `the run begins at ${off} degrees`);
  await slide(".scrub", 1.5);
  assert.ok((await cursor()) > begin + 300, "the cursor did not follow");
  (await pose()).slice(0, 3).forEach((x, k) => assert.ok(Math.abs(x - goal[k]) < 2e-3, "the run does not end at the goal"));
  assert.match(await page.getAttribute(".plot", "aria-label"), /Γ1, Γ2.*N·m/);
  await page.click('.motion .switch button:has-text("Errors")');
  assert.match(await page.getAttribute(".plot", "aria-label"), /e1, e2.*rad/);
  await page.focus('input[aria-label^="q2 "]');
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForSelector(".choices .older");
});

test("two configurations of the sliders, another profile, exact torques; a run that diverges says so", async () => {
  await visit({ robot: "RX-90" });
  await page.click('.choices button:has-text("Start here")');
  const start = Number(await page.inputValue('input[aria-label="q1"]'));
  await page.selectOption('.choices select[aria-label="Profile"]', "trapezoid");
  await slide('input[aria-label^="q1 "]', 1.5);
  await simulate();
  await page.click(".play");
  await slide(".scrub", 0);
  assert.ok(Math.abs(Number(await page.inputValue('input[aria-label="q1"]')) - start) < 0.2);
  await slide(".scrub", 0.6);
  assert.ok(Math.abs(Number(await page.inputValue('input[aria-label="q1"]')) - (start + (1.5 * 180) / Math.PI) / 2) < 0.5, "half of the way at half of the time");
  await page.selectOption('.choices select[aria-label="Controller"]', "pid");
  await page.fill('.choices [aria-label^="frequency"]', "500");
  await page.click('.choices button:has-text("Simulate")');
  await page.waitForSelector(".error-text", { timeout: 120_000 });
  assert.match(await page.textContent(".error-text"), /diverged/);
});

test("SR400: a simulated run keeps the loop closed", async () => {
  await visit({ robot: "SR400" });
  await page.waitForSelector("text=Loop closed");
  await page.click('.choices button:has-text("Start here")');
  await slide('input[aria-label^="q1 "]', 1);
  await page.selectOption('.choices select[aria-label="Controller"]', "computed_torque");
  await simulate();
  await page.click(".play");
  await slide(".scrub", 0.7);
  const q1 = Number(await page.inputValue('input[aria-label="q1"]'));
  assert.ok(q1 > 20 && q1 < 57, `q1 is ${q1} degrees on the way`);
  await page.waitForTimeout(100);
  const gap = await page.evaluate(() => {
    const { robot, last } = window.symoroView;
    const [a, b] = [robot.cuts[0].joint, robot.cuts[0].mate].map((j) => last.frames[j - 1]);
    return Math.hypot(a[3] - b[3], a[7] - b[7], a[11] - b[11]);
  });
  assert.ok(gap < 1e-6, `the loop is open by ${gap} m`);
});

test("a free base moves by its sliders, and in a run by itself", async () => {
  await visit({ robot: "satellite" });
  const before = await pose();
  const first = await pixels();
  await slide('input[aria-label="pose x"]', 0.5);
  await slide('input[aria-label="pose yaw"]', Math.PI / 2);
  await page.waitForTimeout(200);
  const after = await pose();
  assert.ok(Math.abs(after[0] - (0.5 - before[1])) < 2e-3 && Math.abs(after[1] - before[0]) < 2e-3, `${before} became ${after}`);
  assert.ok(differ(first, await pixels()) > 60);
  await page.click('[aria-label="back to the origin"]');
  await page.selectOption('.choices select[aria-label="Controller"]', "computed_torque");
  await simulate();
  await page.click(".play");
  await slide(".scrub", 1.2);
  const drift = await Promise.all(["x", "y", "z"].map((a) => page.inputValue(`input[aria-label="pose ${a}"]`)));
  assert.ok(Math.hypot(...drift.map(Number)) > 1e-3, `the base stands still: ${drift}`);
});

const plate = () => page.evaluate(() => window.symoroView.last.plate);

test("Gough-Stewart: the platform moves by six sliders, the legs follow, and its models have equations and code", async () => {
  await visit();
  await page.click('.switch button:has-text("Parallel")');
  await page.click('.robot-card:has-text("6-UPS")');
  await page.waitForSelector("text=Legs closed", { timeout: 120_000 });
  const first = await pixels();
  await slide('input[aria-label="pose x"]', 0.1);
  await slide('input[aria-label="pose roll"]', 0.2);
  await page.waitForTimeout(200);
  assert.ok(differ(first, await pixels()) > 60, "the platform does not move");
  const { points, ends } = await plate();
  points.forEach((p, k) => assert.ok(Math.hypot(...p.map((x, i) => x - ends[k][i])) < 1e-9, `leg ${k + 1} is open`));
  await slide('input[aria-label="pose z"]', 1.3);
  await page.click('.empty button:has-text("Inverse geometric model")');
  await page.waitForSelector(".row", { timeout: 120_000 });
  await page.waitForSelector(".code-line", { timeout: 60_000 });
  await page.click('[role=tab]:has-text("Platform")');
  assert.equal(await page.locator('[aria-label="Attachments"] tbody tr').count(), 6);
  await page.waitForTimeout(500);
  await page.reload();
  await page.waitForSelector("text=Legs closed", { timeout: 120_000 });
  assert.ok(Math.abs((await pose())[0] - 0.1) < 2e-3, "a reload lost the pose");
});

test("3-RPS: three sliders move the platform, and the other numbers follow", async () => {
  await visit();
  await page.click('.robot-card:has-text("3-RPS")');
  await page.waitForSelector("text=Legs closed", { timeout: 120_000 });
  assert.equal(await page.locator('.platform input[type="range"]:not([disabled])').count(), 3);
  await slide('input[aria-label="pose pitch"]', 0.3);
  await page.waitForTimeout(200);
  assert.ok(Math.abs((await pose())[0]) > 1e-3, "x does not follow");
  const { points, ends } = await plate();
  points.forEach((p, k) => assert.ok(Math.hypot(...p.map((x, i) => x - ends[k][i])) < 1e-7, `leg ${k + 1} is open`));
});
