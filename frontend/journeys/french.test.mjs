// The page in French: every text that it says, and what is still the same as in English.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { foresee, model, page, visit } from "./support.mjs";

const source = (name) => readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8");

test("every text that the page says has a French one", () => {
  const words = source("words.ts");
  const terms = JSON.parse(source("terms.fr.json"));
  const missing = new Set();
  for (const file of readdirSync(new URL("../src", import.meta.url)).filter((name) => /\.tsx?$/.test(name)))
    for (const [, call] of source(file).matchAll(/\bsay(?:Now)?\(((?:[^()]|\([^()]*\))*)\)/g))
      for (const [, text] of call.replace(/[!=]== "[^"]*"/g, "").matchAll(/"((?:[^"\\]|\\.)*)"/g))
        if (/[a-z]{2}/i.test(text) && !(text in terms) && !words.includes(`"${text}":`) && !new RegExp(`[{,\\s]${text}:`).test(words)) missing.add(`${file}: ${text}`);
  assert.deepEqual([...missing], []);
});

/** All texts that one can see or hear, without maths, code and names. */
const texts = () => page.evaluate(() => {
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (!parent.closest("script, style, .katex, .code, .row, .joint-name, .robot-name b, .robot-card b, kbd, code, .labels, .digits, .files, option")) found.add(walk.currentNode.textContent.trim());
  }
  for (const name of ["aria-label", "title", "placeholder"])
    for (const node of document.querySelectorAll(`[${name}]`)) if (!node.closest(".row, .labels, .code")) found.add(node.getAttribute(name).trim());
  return [...found];
});

/** What may be the same: names of models and robots, symbols, units, words that both languages have. */
const SAME = new RegExp(`^(${[
  "symoro|SYMORO\\+|EN|FR|Robot|Base|Code|Structure|Identification|Notebook|HTML|PDF|rpy|auto|standard|C|C\\+\\+|Python|MATLAB|Julia|Rust|Method|solution|mul|add",
  "Axes|robots|\\.par .*|alpha|theta|gamma|-?pi/2|RL4|qdd?|q\\d \\w+|SYMORO\\+.*|[A-Z]{1,4}|[a-z]|[qQ]\\d|θ|[\\d.,:× ÷/()–·°%−+-]*|K\\d+.*|.*\\b(rad|N·m|m/s|kg)\\b.*|P[xyz]|q(, q.)*|3D|σ.*|a\\(\\d\\)|j|[xyz]|6R.*|Positions|Stäubli.*|Staubli.*|bang-bang|PID|J_?",
].join("|")})$`);

for (const robot of ["", "Staubli RX-90"])
  test(`nothing of ${robot || "the start page"} stays English`, async () => {
    await visit({ robot });
    if (robot) {
      await model("Inverse dynamic model");
      await page.waitForSelector(".code-line");
      await page.waitForSelector(".structure .link");
    }
    const english = new Set(await texts());
    await page.click(".language");
    await page.waitForFunction(() => document.documentElement.lang === "fr");
    await page.waitForTimeout(1200);
    const same = (await texts()).filter((text) => english.has(text) && /[A-Za-z]{2}/.test(text) && !SAME.test(text));
    const names = robot ? [] : await page.$$eval(".robot-card", (cards) => cards.map((c) => c.textContent));
    assert.deepEqual(same.filter((text) => !names.some((name) => name.includes(text))), []);
  });

test("menus, options, meanings of symbols and messages of cells are French", async () => {
  await visit({ robot: "Staubli RX-90", locale: "fr-FR" });
  await page.waitForSelector('nav >> text="Dynamique"');
  await page.click("nav >> text=Cinématique");
  const items = await page.$$eval("[role=menuitem] .menu-title", (all) => all.map((n) => n.firstChild.textContent));
  assert.ok(items.includes("Déterminant de la matrice jacobienne, factorisé"), String(items));
  await page.keyboard.press("Escape");
  await page.click('.empty button:has-text("Modèle dynamique inverse")');
  await page.waitForSelector('.row:has-text("U")');
  assert.match(await page.getAttribute(".options .option", "title"), /paramètres inertiels/);
  await page.hover('.equation [data-s]:has-text("U")');
  await page.waitForSelector('.symbol-card:has-text("élément de U du corps")');
  await page.focus('[data-path="joints.3.d"]');
  await page.keyboard.press("Enter");
  await page.keyboard.type("D3 +");
  await page.waitForSelector('.pop.error:has-text("Il manque une valeur après")');
});

test("messages of checks and files, and derivations, are French", async () => {
  await visit({ robot: "Staubli RX-90", locale: "fr-FR" });
  await page.waitForSelector('nav >> text="Dynamique"');
  await page.focus('[data-path="joints.2.theta"]');
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("0.3");
  await page.waitForSelector('.pop.error:has-text("Sa variable q2 n\'est pas dans theta = 0.3")');
  await page.keyboard.press("Escape");
  await page.click('.empty button:has-text("Modèle géométrique inverse")');
  await page.waitForSelector(".derivation details", { timeout: 120_000 });
  const derived = await page.textContent(".derivation");
  assert.match(derived, /l'origine du repère \d/);
  assert.doesNotMatch(derived, /seen from|is free|out of reach|the origin| with /);
  const drop = (name, text) => page.evaluate(([file, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], file));
    document.querySelector(".app, body").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, text]);
  foresee(/status of 422/);
  await drop("bras.toml", "format = 1\nname = 3\n[[joints]]\ntheta = 'q1 +'\n");
  await page.waitForSelector('.failure:has-text("il manque une valeur")');
  assert.match(await page.textContent(".failure"), /permis : un texte/);
});
