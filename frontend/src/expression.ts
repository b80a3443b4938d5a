// Values as they are typed into cells: numbers, symbols and expressions. The server's parser decides what is valid;
// this one draws a value at once, as maths and as a number.

export type Node =
  | { kind: "number"; value: number; text: string }
  | { kind: "symbol"; name: string }
  | { kind: "call"; name: string; args: Node[] }
  | { kind: "minus"; of: Node }
  | { kind: "binary"; op: "+" | "-" | "*" | "/" | "^"; left: Node; right: Node };

const FUNCTIONS: Record<string, (...x: number[]) => number> = {
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, sqrt: Math.sqrt,
  exp: Math.exp, abs: Math.abs, sign: Math.sign, atan2: Math.atan2, min: Math.min, max: Math.max,
};
const TOKEN = /\s*(\*\*|[+\-*/^(),]|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[\p{L}_][\p{L}\p{N}_]*)/uy;

export class ExpressionError extends Error {}

class Parser {
  private tokens: string[] = [];
  private at = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    const end = text.trimEnd().length;
    while (TOKEN.lastIndex < end) {
      const from = TOKEN.lastIndex;
      const found = TOKEN.exec(text);
      if (!found) throw new ExpressionError(text.slice(from).trim());
      this.tokens.push(found[1] === "**" ? "^" : found[1]);
    }
  }

  whole(): Node {
    const node = this.sum(0);
    if (this.at < this.tokens.length) throw new ExpressionError(this.tokens[this.at]);
    return node;
  }

  private take(...wanted: string[]): string | null {
    const token = this.tokens[this.at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.at += 1;
    return token;
  }

  private sum(depth: number): Node {
    if (depth > 60) throw new ExpressionError("too deep");
    let left = this.product(depth);
    for (let op = this.take("+", "-"); op; op = this.take("+", "-"))
      left = { kind: "binary", op: op as "+", left, right: this.product(depth) };
    return left;
  }

  private product(depth: number): Node {
    let left = this.signed(depth);
    for (let op = this.take("*", "/"); op; op = this.take("*", "/"))
      left = { kind: "binary", op: op as "*", left, right: this.signed(depth) };
    return left;
  }

  private signed(depth: number): Node {
    if (this.take("-")) return { kind: "minus", of: this.signed(depth + 1) };
    if (this.take("+")) return this.signed(depth + 1);
    const base = this.atom(depth);
    return this.take("^") ? { kind: "binary", op: "^", left: base, right: this.signed(depth + 1) } : base;
  }

  private atom(depth: number): Node {
    const token = this.tokens[this.at];
    if (token === undefined) throw new ExpressionError("");
    this.at += 1;
    if (token === "(") {
      const inner = this.sum(depth + 1);
      if (!this.take(")")) throw new ExpressionError(")");
      return inner;
    }
    if (/^[\d.]/.test(token)) return { kind: "number", value: Number(token), text: token };
    if (!/^[\p{L}_]/u.test(token)) throw new ExpressionError(token);
    if (!(token in FUNCTIONS)) return { kind: "symbol", name: token };
    if (!this.take("(")) throw new ExpressionError(token);
    const args = [this.sum(depth + 1)];
    while (this.take(",")) args.push(this.sum(depth + 1));
    if (!this.take(")")) throw new ExpressionError(")");
    return { kind: "call", name: token, args };
  }
}

const cache = new Map<string, Node | null>();

/** The expression of a text; null where it is not one. */
export function parse(text: string): Node | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  let node: Node | null = null;
  try {
    node = text.trim() === "" ? { kind: "number", value: 0, text: "0" } : new Parser(text).whole();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
  }
  if (cache.size > 5000) cache.clear();
  cache.set(text, node);
  return node;
}

/** The number of an expression; NaN where a symbol has none. */
export function evaluate(node: Node | null, numbers: (name: string) => number): number {
  if (!node) return NaN;
  switch (node.kind) {
    case "number":
      return node.value;
    case "symbol":
      return node.name === "pi" ? Math.PI : numbers(node.name);
    case "minus":
      return -evaluate(node.of, numbers);
    case "call":
      return FUNCTIONS[node.name](...node.args.map((a) => evaluate(a, numbers)));
    case "binary": {
      const a = evaluate(node.left, numbers);
      const b = evaluate(node.right, numbers);
      return node.op === "+" ? a + b : node.op === "-" ? a - b : node.op === "*" ? a * b : node.op === "/" ? a / b : a ** b;
    }
  }
}

export function symbolsOf(node: Node | null, found = new Set<string>()): Set<string> {
  if (!node) return found;
  if (node.kind === "symbol" && node.name !== "pi") found.add(node.name);
  if (node.kind === "minus") symbolsOf(node.of, found);
  if (node.kind === "call") node.args.forEach((a) => symbolsOf(a, found));
  if (node.kind === "binary") [node.left, node.right].forEach((a) => symbolsOf(a, found));
  return found;
}

const GREEK = new Set("alpha beta gamma delta epsilon theta lambda mu nu pi rho sigma tau phi psi omega".split(" "));
const STEMS: Record<string, string> = { GAM: "\\Gamma", QP: "\\dot{q}", QDP: "\\ddot{q}" };

/** RL4 is RL with the index 4. */
export function nameTex(name: string): string {
  const parts = /^([\p{L}]+)(\d*)((?:_[\p{L}\p{N}]+)*)$/u.exec(name);
  if (!parts) return `\\mathtt{${name.replace(/_/g, "\\_")}}`;
  const [, stem, digits, rest] = parts;
  const head = STEMS[stem] ?? (GREEK.has(stem) ? `\\${stem}` : stem.length === 1 ? stem : `\\mathit{${stem}}`);
  const below = [digits, ...rest.split("_")].filter(Boolean).join(",");
  return below ? `${head}_{${below}}` : head;
}

export function tex(node: Node, level = 0): string {
  const wrap = (text: string, binding: number) => (binding < level ? `\\left(${text}\\right)` : text);
  switch (node.kind) {
    case "number":
      return node.text;
    case "symbol":
      return nameTex(node.name);
    case "minus":
      return wrap(`-${tex(node.of, 2)}`, 1);
    case "call":
      return node.name === "sqrt"
        ? `\\sqrt{${tex(node.args[0])}}`
        : `\\operatorname{${node.name}}(${node.args.map((a) => tex(a)).join(", ")})`;
    case "binary":
      switch (node.op) {
        case "+":
          return wrap(`${tex(node.left, 1)} + ${tex(node.right, 1)}`, 1);
        case "-":
          return wrap(`${tex(node.left, 1)} - ${tex(node.right, 2)}`, 1);
        case "*":
          return wrap(`${tex(node.left, 2)}\\,${tex(node.right, 2)}`, 2);
        case "/":
          return node.left.kind === "minus"
            ? wrap(`-\\frac{${tex(node.left.of)}}{${tex(node.right)}}`, 1)
            : `\\frac{${tex(node.left)}}{${tex(node.right)}}`;
        case "^":
          return `${tex(node.left, 4)}^{${tex(node.right)}}`;
      }
  }
}
