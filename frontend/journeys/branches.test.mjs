// Inverse geometry in a browser: the end effector is dragged, and arms without a closed form are solved by numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page, pose, slide, visit } from "./support.mjs";

const rows = () => page.$$eval(".branch", (nodes) => nodes.map((node) => node.textContent));
const numbers = (names) => Promise.all(names.map((name) => page.inputValue(`[aria-label="${name}"]`).then(Number)));

test("PUMA: the end effector is dragged in the view, and the branches follow", async () => {
  await visit({ robot: "Unimation PUMA 560" });
  await page.click('.empty button:has-text("Inverse geometric model")');
  await page.waitForSelector(".branch");
  const [before, place] = [await rows(), await numbers(["Px", "Py", "Pz"])];
  await page.click('button:has-text("Drag in the view")');
  const box = await page.locator(".view canvas").boundingBox();
  const at = await page.evaluate(([x, y, z]) => {
    const { clientWidth, clientHeight } = document.querySelector(".view");
    return window.symoroView.project([x, y, z], clientWidth, clientHeight);
  }, place);
  const camera = () => page.evaluate(() => window.symoroView.camera.position.toArray());
  const seen = await camera();
  await page.mouse.move(box.x + at.x, box.y + at.y);
  await page.mouse.down();
  await page.mouse.move(box.x + at.x + 20, box.y + at.y - 30, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(200);
  const moved = await numbers(["Px", "Py", "Pz"]);
  const way = Math.hypot(...moved.map((x, k) => x - place[k]));
  assert.ok(way > 0.01 && way < 0.5, `the target moved by ${way} m`);
  assert.deepEqual(await camera(), seen, "the camera turned, too");
  assert.notDeepEqual(await rows(), before, "the branches do not follow");
  assert.match(await page.textContent(".branch-foot"), /8 of 8 branches/);
});

test("an arm without a closed form: its branches come by numbers, reach the pose, and follow the target", async () => {
  await visit({ robot: "General 6R arm" });
  await page.click('.empty button:has-text("Inverse geometric model")');
  await page.waitForSelector(".branch", { timeout: 120_000 });
  const count = await page.locator(".branch").count();
  assert.ok(count >= 2, `${count} branches`);
  assert.match(await page.textContent(".branch-foot"), /general method, by numbers: complete/);
  const wanted = await pose();
  for (let k = 0; k < count; k += 1) {
    await page.locator(".branch").nth(k).click();
    await page.waitForTimeout(700);
    (await pose()).slice(0, 3).forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) < 2e-3, `branch ${k} misses the pose`));
  }
  await page.fill('[aria-label="Px"]', "30");
  await page.waitForSelector('.branch-foot:has-text("0 branches")', { timeout: 60_000 });
  assert.match(await page.textContent(".branch-foot"), /unreachable/);
});

test("an arm of seven joints: the arm angle or a joint is given by a slider, every branch reaches the pose, and dragging works", async () => {
  await visit({ robot: "KUKA LBR iiwa" });
  await page.click('.empty button:has-text("Inverse geometric model")');
  await page.waitForSelector(".branch", { timeout: 120_000 });
  assert.match(await page.textContent(".branch-foot"), /8 of 8 branches/);
  assert.equal(await page.locator('.branch.on').count(), 1, "no branch is the configuration of the page");
  const wanted = await pose();
  const reaches = async (count) => {
    for (let k = 0; k < count; k += 3) {
      await page.locator(".branch").nth(k).click();
      await page.waitForTimeout(700);
      (await pose()).slice(0, 3).forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) < 2e-3, `branch ${k} misses the pose`));
    }
  };
  const before = await rows();
  await slide('input[aria-label="Given ψ"]', 1.2);
  await page.waitForTimeout(200);
  assert.notDeepEqual(await rows(), before, "the branches do not follow the arm angle");
  await reaches(8);
  await page.selectOption('select[aria-label="Given"]', "3");
  await page.waitForSelector('input[aria-label="Given q3"]', { timeout: 120_000 });
  await slide('input[aria-label="Given q3"]', 0.4);
  await page.waitForTimeout(200);
  const third = await page.$$eval(".branch", (nodes) => nodes.map((node) => node.children[3].textContent));
  assert.ok(third.length > 0 && third.every((text) => text === "22.9"), `q3 is ${third}`);
  await reaches(third.length);
  const still = await rows();
  await page.click('button:has-text("Drag in the view")');
  const box = await page.locator(".view canvas").boundingBox();
  const at = await page.evaluate(([x, y, z]) => window.symoroView.project([x, y, z], document.querySelector(".view").clientWidth, document.querySelector(".view").clientHeight), wanted.slice(0, 3));
  await page.mouse.move(box.x + at.x, box.y + at.y);
  await page.mouse.down();
  await page.mouse.move(box.x + at.x - 15, box.y + at.y + 15, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(200);
  assert.notDeepEqual(await rows(), still, "the branches do not follow the target");
});
