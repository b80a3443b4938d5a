// A URDF file and its meshes, dropped together: they stay in the browser, and what is missing is named.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { differ, drop, page, pixels, visit } from "./support.mjs";

const link = (name, visual) => `<link name="${name}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>${visual}</link>`;
const mesh = (file, scale = "1 1 1") => `<visual><origin xyz="0 0 0.1"/><geometry><mesh filename="${file}" scale="${scale}"/></geometry><material name="m"><color rgba="0.9 0.2 0.1 1"/></material></visual>`;
const URDF = `<robot name="dressed">${link("base", '<visual><geometry><cylinder radius="0.1" length="0.2"/></geometry></visual>')}
${link("arm", mesh("package://some_robot/meshes/arm.stl", "0.5 0.5 0.5"))}${link("hand", mesh("meshes/hand.obj"))}
<joint name="one" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="two" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.6 0 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>`;
const CORNERS = [[0, 0, 0], [1, 0, 0], [0, 0.3, 0], [0, 0, 0.3]];
const FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
const STL = `solid a\n${FACES.map((f) => `facet normal 0 0 0\nouter loop\n${f.map((k) => `vertex ${CORNERS[k].join(" ")}`).join("\n")}\nendloop\nendfacet`).join("\n")}\nendsolid a\n`;
const OBJ = `${CORNERS.map((c) => `v ${c.map((x) => x / 2).join(" ")}`).join("\n")}\n${FACES.map((f) => `f ${f.map((k) => k + 1).join(" ")}`).join("\n")}\n`;

const parts = () => page.evaluate(() => window.symoroView?.parts.length ?? 0);

test("a URDF file with its meshes is drawn with them; the arm moves, and the meshes can be hidden", async () => {
  await visit();
  await drop([["dressed.urdf", URDF], ["arm.stl", STL], ["hand.obj", OBJ]]);
  await page.waitForFunction(() => window.symoroView?.parts.length === 3);
  await page.waitForTimeout(300);
  const first = await pixels();
  assert.ok(new Set(first).size > 20, "the view is blank");
  const ends = () => page.evaluate(() => window.symoroView.parts.map(({ object }) => object.matrix.elements.slice(12, 15)));
  const before = await ends();
  await page.focus('input[aria-label^="q1 "]');
  for (let k = 0; k < 6; k += 1) await page.keyboard.press("Shift+ArrowRight");
  await page.waitForTimeout(200);
  const after = await ends();
  assert.deepEqual(before[0], after[0], "the base moved");
  assert.ok(Math.hypot(...before[2].map((x, k) => x - after[2][k])) > 0.1, "the mesh of the hand does not follow");
  const dressed = await pixels();
  await page.click('[aria-label="meshes"]');
  await page.waitForTimeout(200);
  assert.ok(differ(dressed, await pixels()) > 60, "hiding the meshes changes nothing");
});

test("missing meshes are named, a zip brings them, and files that are no meshes are refused in words", async () => {
  await visit();
  await drop([["dressed.urdf", URDF], ["hand.obj", "this is no mesh"]]);
  await page.waitForSelector(".failure");
  assert.match(await page.textContent(".failure"), /1 meshes are not among the files: package:\/\/some_robot\/meshes\/arm\.stl|hand\.obj: the mesh cannot be read/);
  const folder = mkdtempSync(join(tmpdir(), "symoro-zip-"));
  mkdirSync(join(folder, "some_robot", "meshes"), { recursive: true });
  const files = { "dressed.urdf": URDF, "meshes/arm.stl": STL, "meshes/hand.obj": OBJ };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "some_robot", name), text);
  execFileSync("python3", ["-m", "zipfile", "-c", "robot.zip", "some_robot"], { cwd: folder });
  await drop([["robot.zip", [...readFileSync(join(folder, "robot.zip"))]]]);
  await page.waitForFunction(() => window.symoroView?.parts.length === 3);
  assert.equal(await page.locator(".failure").count(), 0);
  await drop([["broken.zip", "PK this is no zip"]]);
  await page.waitForSelector('.failure:has-text("the zip cannot be read")');
  await drop([["arm.stl", STL]]);
  await page.waitForSelector('.failure:has-text("no robot is among the files")');
  assert.equal(await parts(), 3, "the robot before stays");
});
