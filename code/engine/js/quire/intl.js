// What of Intl the machine lacks: the order of texts, by Go. Formats are in English, whatever
// the locale.
"use strict";
const { native } = require("quire:core");

const one = (locales) => String((Array.isArray(locales) ? locales[0] : locales) ?? "en");

class Collator {
  #compare;
  constructor(locales, { numeric = false, sensitivity = "variant", usage = "sort" } = {}) {
    const locale = one(locales);
    if (!["base", "accent", "case", "variant"].includes(sensitivity)) throw new RangeError(`Value ${sensitivity} out of range for Intl.Collator options property sensitivity`);
    this.resolvedOptions = () => ({ locale, usage, sensitivity, numeric, collation: "default", ignorePunctuation: false, caseFirst: "false" });
    this.#compare = (a, b) => native("compare", locale, sensitivity, numeric, String(a), String(b));
  }
  get compare() {
    return this.#compare;
  }
  static supportedLocalesOf(locales) {
    return [locales].flat();
  }
}
const plain = new Collator();

class PluralRules {
  #type;
  constructor(locales, { type = "cardinal" } = {}) {
    this.#type = type;
  }
  select(n) {
    if (this.#type === "cardinal") return Math.abs(n) === 1 ? "one" : "other";
    const [tens, ones] = [Math.abs(n) % 100, Math.abs(n) % 10];
    return tens > 10 && tens < 14 ? "other" : ["other", "one", "two", "few"][ones] ?? "other";
  }
  resolvedOptions() {
    return { locale: "en-US", type: this.#type };
  }
}

class ListFormat {
  constructor(locales, { type = "conjunction" } = {}) {
    this.word = type === "disjunction" ? "or" : type === "unit" ? "" : "and";
  }
  format(list) {
    const all = Array.from(list);
    const word = this.word && `${this.word} `;
    if (all.length < 3) return all.join(this.word ? ` ${word}` : ", ");
    return `${all.slice(0, -1).join(", ")}, ${word}${all.at(-1)}`;
  }
}

Object.assign(Intl, { Collator, PluralRules, ListFormat });
for (const name of ["RelativeTimeFormat", "DisplayNames", "Segmenter", "DurationFormat"])
  Intl[name] = class {
    constructor() {
      throw new Error(`Intl.${name} is not there; Intl has DateTimeFormat, NumberFormat, Collator, PluralRules and ListFormat`);
    }
  };
Object.defineProperty(String.prototype, "localeCompare", {
  value: function localeCompare(other, locales, options) {
    return (locales === undefined && options === undefined ? plain : new Collator(locales, options)).compare(this, other);
  },
  writable: true,
  configurable: true,
});
