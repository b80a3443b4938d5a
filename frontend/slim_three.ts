// three without what the page never draws: shaders of other materials, headsets, and maps of surroundings. It halves what a browser loads for the view.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const THREE = join(dirname(fileURLToPath(import.meta.url)), "node_modules", "three", "src");
const SHADERS = join(THREE, "renderers", "shaders");
/** The shaders of the materials in scene3d.ts and meshes.ts; lines are drawn by the basic one. */
const DRAWN = ["meshbasic", "meshlambert", "points"];
/** What the renderer itself puts into each program. */
const ALWAYS = ["colorspace_pars_fragment"];
/** What these shaders include for the case that a scene has it: shadows by maps, mirrors, light from surroundings, pictures on surfaces. */
const NEVER = /^(shadowmap|shadowmask|lightprobes|envmap|lightmap|aomap|alphahash|bumpmap|normalmap|displacementmap|morph|skin|batching|clipping|fog|logdepthbuf|dithering)/;

const includes = (text: string) => [...text.matchAll(/#include <(\w+)>/g)].map((found) => found[1]);
const chunk = (name: string) => readFileSync(join(SHADERS, "ShaderChunk", `${name}.glsl.js`), "utf8");

/** The chunks that the shaders include, and those that these include. */
function chunksUsed(): Set<string> {
  const used = new Set<string>();
  const visit = (name: string): void => {
    if (used.has(name) || NEVER.test(name)) return;
    used.add(name);
    includes(chunk(name)).forEach(visit);
  };
  ALWAYS.forEach(visit);
  for (const name of DRAWN) includes(readFileSync(join(SHADERS, "ShaderLib", `${name}.glsl.js`), "utf8")).forEach(visit);
  return used;
}

/** A shader without comments and empty space; lines stay, as directives need them. */
const short = (text: string) =>
  text.replace(/\/\*(?! glsl)[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "").replace(/[ \t]+/g, " ").replace(/\n\s+/g, "\n");

const HEADSET = `export class WebXRManager {
  enabled = false; isPresenting = false; cameraAutoUpdate = false;
  addEventListener() {} removeEventListener() {} setAnimationLoop() {} dispose() {} getEnvironmentBlendMode() {} hasDepthSensing() { return false; }
}`;
const SURROUNDINGS = "export class PMREMGenerator { dispose() {} }";

export function slimThree() {
  const used = chunksUsed();
  const known = new Set(readdirSync(join(SHADERS, "ShaderChunk")).map((file) => file.replace(".glsl.js", "")));
  const wrong = [...used].filter((name) => !known.has(name));
  if (wrong.length) throw new Error(`three has no shader ${wrong.join(", ")}`);
  return {
    name: "slim-three",
    enforce: "pre" as const,
    config: () => ({ resolve: { alias: [{ find: /^three$/, replacement: join(THREE, "Three.js") }] } }),
    transform(code: string, id: string) {
      const [, folder, name] = /shaders\/(ShaderLib|ShaderChunk)\/(\w+)\.glsl\.js$/.exec(id) ?? [];
      if (folder === "ShaderLib") return { code: DRAWN.includes(name) ? short(code) : 'export const vertex = "", fragment = "";', map: null };
      if (folder === "ShaderChunk") return { code: used.has(name) ? short(code) : 'export default "";', map: null };
      if (id.endsWith("webxr/WebXRManager.js")) return { code: HEADSET, map: null };
      if (id.endsWith("extras/PMREMGenerator.js")) return { code: SURROUNDINGS, map: null };
      return null;
    },
  };
}
