// JSON whose numbers keep all their digits. The numbers of JavaScript have about 16; a number
// with more is kept as it is written, where the browser can do that.

interface ExactJSON {
  rawJSON?: (text: string) => unknown;
  parse: (text: string, reviver?: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
}

const json = JSON as ExactJSON;

/** Whether numbers of any length pass through the browser unchanged. */
export const keepsDigits = typeof json.rawJSON === "function";

/** Parses JSON. A number that would lose digits becomes an object that JSON.stringify writes as the number. */
export function parseExact(text: string): unknown {
  const raw = json.rawJSON;
  if (!raw || !/\d[\d.]{15}|\d[eE]/.test(text)) return json.parse(text);
  return json.parse(text, (_, value, context) =>
    typeof value === "number" && context?.source !== undefined && losesDigits(context.source) ? raw(context.source) : value,
  );
}

/** Whether a number of JSON is another one after JavaScript has read it. */
export function losesDigits(source: string): boolean {
  const value = Number(source);
  return !Number.isFinite(value) || canonical(source) !== canonical(String(value));
}

/** The digits of a number without zeros at its ends, and its exponent. */
function canonical(source: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "0" : `${sign}${kept}e${Number(exponent) - fraction.length + (digits.length - kept.length)}`;
}
