// JSON as tokens: where it is wrong, and how it looks when it is formatted. Values are never
// read, so that numbers and texts keep their spelling.

import type { Key } from "../core/i18n";
import { losesDigits } from "../core/exact-json";

export interface Problem {
  /** Where it is, in UTF-16 units. */
  at: number;
  message: Extract<Key, `json.${string}`>;
}

export interface Token {
  from: number;
  to: number;
  kind: "string" | "number" | "word" | "punctuation";
}

const pattern =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|[{}[\],:]/y;
const space = /[ \t\r\n]*/y;

/** The tokens up to what is none, and where that is; -1 for nothing. */
export function tokensOf(text: string, from = 0, to = text.length): { tokens: Token[]; wrong: number } {
  const tokens: Token[] = [];
  let at = from;
  for (;;) {
    space.lastIndex = at;
    at += space.exec(text)![0].length;
    if (at >= to) return { tokens, wrong: -1 };
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) return { tokens, wrong: at };
    tokens.push({ from: at, to: at + found.length, kind: kindOf(found) });
    at += found.length;
  }
}

function kindOf(found: string): Token["kind"] {
  if (found.startsWith('"')) return "string";
  if (/^[-\d]/.test(found)) return "number";
  return /^[tfn]/.test(found) ? "word" : "punctuation";
}

/** The first thing that is wrong with a text that should be one JSON value; null for nothing. */
export function problemOf(text: string): Problem | null {
  const { tokens, wrong } = tokensOf(text);
  const open: ("{" | "[")[] = [];
  let expects: "value" | "first" | "key" | "colon" | "comma" | "end" = "value";
  for (const [i, { from, to, kind }] of tokens.entries()) {
    const token = text.slice(from, to);
    const within = open.at(-1);
    const closes = token === (within === "{" ? "}" : "]") && within !== undefined;
    if (expects === "end") return { at: from, message: "json.more" };
    if (expects === "colon") {
      if (token !== ":") return { at: from, message: "json.colon" };
      expects = "value";
    } else if (expects === "comma") {
      if (!closes && token !== ",") return { at: from, message: within === "{" ? "json.comma-object" : "json.comma-list" };
      if (closes) open.pop();
      expects = !closes ? (within === "{" ? "key" : "value") : open.length ? "comma" : "end";
    } else if (expects === "first" && closes) {
      open.pop();
      expects = open.length ? "comma" : "end";
    } else if (closes) {
      return {
        at: tokens[i - 1]?.from ?? from,
        message: text[tokens[i - 1]?.from ?? from] === "," ? "json.last-comma" : "json.value",
      };
    } else if (within === "{" && expects !== "value") {
      if (kind !== "string") return { at: from, message: "json.key" };
      expects = "colon";
    } else if (token === "{" || token === "[") {
      open.push(token);
      expects = "first";
    } else {
      if (kind === "punctuation") return { at: from, message: "json.value" };
      expects = open.length ? "comma" : "end";
    }
  }
  if (wrong >= 0) return { at: wrong, message: wrongAt(text, wrong) };
  return expects === "end" ? null : { at: text.length, message: "json.end" };
}

function wrongAt(text: string, at: number): Problem["message"] {
  switch (text[at]) {
    case '"':
      return "json.string";
    case "'":
      return "json.quotes";
    case "/":
    case "#":
      return "json.comment";
    default:
      return /[-+.\d]/.test(text[at]!) ? "json.number" : "json.word";
  }
}

/** The numbers that lose digits when a browser reads them. */
export function longNumbers(text: string): Token[] {
  return tokensOf(text).tokens.filter(
    ({ from, to, kind }) => kind === "number" && to - from > 15 && losesDigits(text.slice(from, to)),
  );
}

/** The text with one member or item to a line. It must be JSON. */
export function formatted(text: string): string {
  const { tokens } = tokensOf(text);
  const parts: string[] = [];
  let depth = 0;
  const line = (): void => void parts.push(`\n${"  ".repeat(depth)}`);
  tokens.forEach(({ from, to }, i) => {
    const token = text.slice(from, to);
    const next = tokens[i + 1] && text[tokens[i + 1]!.from];
    if ((token === "}" || token === "]") && !/[{[]$/.test(parts.at(-1) ?? "")) {
      depth--;
      line();
    }
    parts.push(token === ":" ? ": " : token);
    if (token === ",") line();
    if ((token === "{" || token === "[") && next !== "}" && next !== "]") {
      depth++;
      line();
    }
  });
  return parts.join("");
}
