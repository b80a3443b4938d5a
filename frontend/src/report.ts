// A report of the work: a page that prints, or a notebook that makes every result again.

import { type Robot, GEOMETRY } from "./robot";
import type { Result } from "./store";

const escape = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

export function report(robot: Robot, results: Result[], kind: "html" | "ipynb"): string {
  return kind === "html" ? page(robot, results) : notebook(robot, results);
}

function page(robot: Robot, results: Result[]): string {
  const title = escape(robot.title || robot.name);
  const cells = (tag: string, texts: string[]) => `<tr>${texts.map((t) => `<${tag}>${escape(t)}</${tag}>`).join("")}</tr>`;
  const rows = robot.joints.map((j, k) => cells("td", [String(k + 1), j.name, String(j.parent), j.kind, ...GEOMETRY.map((g) => j[g])]));
  const values = Object.entries(robot.values).map(([name, text]) => `${escape(name)} = ${escape(text)}`).join(", ");
  const sections = results.map((r) => {
    const { ops, published, citation } = r.data!;
    const rival = published[0] ? `; ${escape(published[0].source)}: ${published[0].mul} mul, ${published[0].add} add` : "";
    const options = Object.entries(r.options).map(([name, value]) => `${escape(name)} = ${escape(String(value))}`).join(", ");
    return `<h2>${escape(r.entry.title)}</h2><p>${options} (${escape(citation)})</p><p><b>${ops.mul} mul, ${ops.add} add, ${ops.trig} trig</b>${rival}</p><pre>${r.data!.rows.map((row) => escape(row.text)).join("\n")}</pre>`;
  });
  const style = "body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:40px auto;padding:0 20px;color:#12161c}table{border-collapse:collapse}td,th{border:1px solid #cdd3db;padding:4px 10px;text-align:left}pre{background:#f7f8fa;padding:12px;white-space:pre-wrap;font-size:12.5px}@media print{pre{background:none}}";
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${style}</style><h1>${title}</h1><h2>Geometry</h2><table>${cells("th", ["j", "name", "a(j)", "kind", ...GEOMETRY])}${rows.join("")}</table><p>${values}</p>${sections.join("")}</html>`;
}

const python = (value: unknown): string => (value === null ? "None" : value === true ? "True" : value === false ? "False" : JSON.stringify(value));

function notebook(robot: Robot, results: Result[]): string {
  const rows = robot.joints.map((j) => {
    const given = Object.fromEntries(GEOMETRY.filter((g) => j[g] !== "0").map((g) => [g, j[g]]));
    const tables = Object.fromEntries((["inertia", "drive"] as const).map((t) => [t, Object.fromEntries(Object.entries(j[t]).filter(([, x]) => x !== "0"))]).filter(([, t]) => Object.keys(t as object).length));
    return `    ${python({ name: j.name, parent: j.parent, kind: j.kind, actuated: j.actuated, ...given, ...tables }).replace(/:true/g, ":True").replace(/:false/g, ":False")},`;
  });
  const cell = (kind: "markdown" | "code", text: string) => ({ cell_type: kind, metadata: {}, source: text.split(/(?<=\n)/), ...(kind === "code" ? { outputs: [], execution_count: null } : {}) });
  const make = robot.cuts.length
    ? `robot = symoro.load(${python(robot.name)})  # closed loops: save the robot as a file and load it from there`
    : `robot = symoro.Robot.from_mdh([\n${rows.join("\n")}\n], name=${python(robot.name)}, values=${python(robot.values)})\nrobot`;
  const cells = [
    cell("markdown", `# ${robot.title || robot.name}`),
    cell("code", `import symoro\n\n${make}`),
    ...results.flatMap((r) => {
      const options = Object.entries(r.options).filter(([, v]) => v !== null).map(([name, v]) => `, ${name}=${python(v)}`).join("");
      return [cell("markdown", `## ${r.entry.title}`), cell("code", `model = symoro.${r.entry.name}(robot${options})\nmodel`)];
    }),
  ];
  return JSON.stringify({ cells, metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } }, nbformat: 4, nbformat_minor: 4 }, null, 1);
}
