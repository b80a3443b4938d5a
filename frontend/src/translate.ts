// Texts of the server in another language: a table of templates, whose places {} take what the text has there.
//
// A message is often made of others: a place before it, a list of what is allowed behind it, two sentences. Each part
// is looked up by itself; a part that no template knows stays as it is.

export type Table = Record<string, string>;

const asPattern = (text: string) => new RegExp(`^${text.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("(.+?)")}$`);

export const filled = (text: string, given: readonly unknown[]) => given.reduce<string>((done, one) => done.replace("{}", () => String(one)), text);

/** Letters of a template outside of its places: the template with most of them says most about a text. */
const letters = (template: string) => template.replaceAll("{}", "").length;

const DEEPEST = 6;
/** Templates with fewer letters, such as `{} to {}`, fit many texts: two sentences are parted before they are tried. */
const FEW = 12;

/** Looks up texts in tables, the first one first. */
export class Translator {
  private known = new Map<string, string>();
  private patterns: [RegExp, string, number][];

  constructor(private tables: Table[]) {
    const templates = tables.flatMap((table) => Object.entries(table)).filter(([text]) => text.includes("{}"));
    this.patterns = templates.sort(([a], [b]) => letters(b) - letters(a)).map(([text, other]) => [asPattern(text), other, letters(text)]);
  }

  text(text: string): string {
    let found = this.known.get(text);
    if (found === undefined) this.known.set(text, (found = this.look(text, 0)));
    return found;
  }

  private look(text: string, depth: number): string {
    if (depth > DEEPEST || text.length > 4000) return text;
    const again = (part: string) => (part.includes(" ") ? this.look(part, depth + 1) : part);
    if (text.includes("\n")) return text.split("\n").map(again).join("\n");
    for (const table of this.tables) if (Object.hasOwn(table, text)) return table[text];
    const [main, ...allowed] = text.split(" (allowed: ");
    if (allowed.length) return this.withAllowed(main, allowed.join(" (allowed: "), text, again);
    const least = text.includes("; ") ? FEW : 0;
    for (const [pattern, other, size] of this.patterns) {
      if (size < least) break;
      const places = pattern.exec(text)?.slice(1);
      if (places) return filled(other, places.map(again));
    }
    return this.ofParts(text, again);
  }

  private withAllowed(main: string, allowed: string, text: string, again: (part: string) => string): string {
    const said = again(main);
    if (said === main && /[a-z]{3,} [a-z]{2,}/.test(main)) return text; // an English sentence stays one
    return `${said} (permis : ${again(allowed.replace(/\)$/, ""))})`;
  }

  /** Two sentences, or a sentence behind a place such as rx90.par:14: */
  private ofParts(text: string, again: (part: string) => string): string {
    const parts = text.split("; ");
    if (parts.length > 1) {
      const said = parts.map(again);
      return said.some((part, k) => part !== parts[k]) ? said.join(" ; ") : text;
    }
    const place = /^(\S+?:(?:\d+:)?) (.+)$/.exec(text);
    return place ? `${place[1]} ${again(place[2])}` : text;
  }
}
