// The messages of each language beside those in English.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { format, languages } from "../src/core/i18n";
import type { Message, Messages } from "../src/core/message";

const folders = readdirSync("src").filter((folder) => existsSync(`src/${folder}/messages`));
const written = folders.flatMap((folder) => readdirSync(`src/${folder}/messages`).map((file) => ({ folder, code: file.replace(".ts", "") })));

/** The folder of the words of the page at /api/docs, which is no part of the admin. */
const explorer = "the page at /api/docs";
for (const code of Object.keys(languages)) written.push({ folder: explorer, code });

async function messages(folder: string, code: string): Promise<Messages<string>> {
  if (folder === explorer) {
    const words = await import(`../../../server/docs/words${code === "en" ? "" : `-${code}`}.mjs`);
    return words.en ?? words.default;
  }
  return (await import(`../src/${folder}/messages/${code}.ts`))[code];
}

const formsOf = (message: Message): { readonly [category: string]: string } => (typeof message === "string" ? { other: message } : message);
const placesIn = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].sort();
const bare = (text: string): string => text.replace(/\{\w+\}|\w+\.\w+/g, "").trim(); // without values and names of settings

/** Calls check for each text of a language, with the English one, and reports all that it finds. */
async function each(code: string, check: (text: string, english: string, category: string) => string | false | undefined): Promise<void> {
  const found: string[] = [];
  for (const { folder } of written.filter((file) => file.code === code)) {
    const [theirs, english] = [await messages(folder, code), await messages(folder, "en")];
    for (const [key, message] of Object.entries(theirs)) {
      const forms = formsOf(english[key] ?? "");
      for (const [category, text] of Object.entries(formsOf(message))) {
        const problem = check(text, forms[category] ?? forms.other ?? "", category);
        if (problem) found.push(`${folder} ${key}: ${problem}: ${text}`);
      }
    }
  }
  assert.equal(found.join("\n"), "");
}

test("a language has a file of messages in each folder that has English ones", () => {
  const files = (codes: string[]): string[] => [...folders, explorer].flatMap((folder) => codes.map((code) => `${folder}/${code}`)).sort();
  assert.deepEqual(written.map(({ folder, code }) => `${folder}/${code}`).sort(), files(Object.keys(languages)));
});

for (const code of new Set(written.map((file) => file.code))) {
  test(`${code}: no message is missing, and none is empty`, async () => {
    for (const { folder } of written.filter((file) => file.code === code)) {
      assert.deepEqual(Object.keys(await messages(folder, code)).sort(), Object.keys(await messages(folder, "en")).sort(), folder);
    }
    await each(code, (text) => text.trim() !== text && "it has spaces around it");
    await each(code, (text) => text === "" && "it is empty");
  });

  test(`${code}: a message has the values of the English one`, async () => {
    await each(code, (text, english, category) => {
      const [theirs, ours] = [placesIn(text), placesIn(english)];
      const left = category === "other" ? ours : ours.filter((place) => place !== "{n}"); // "One field" is as good as "1 field"
      return (theirs.some((place) => !ours.includes(place) && place !== "{n}") || left.some((place) => !theirs.includes(place))) && `not the values of “${english}”`;
    });
  });

  test(`${code}: a message has a form for each whole number`, async () => {
    const rules = new Intl.PluralRules(code);
    const needed = new Set(["other", ...Array.from({ length: 200 }, (_, n) => rules.select(n))]);
    for (const { folder } of written.filter((file) => file.code === code)) {
      for (const [key, message] of Object.entries(await messages(folder, code))) {
        if (typeof message === "string") continue; // the same for all numbers
        for (const category of needed) assert.ok(message[category as Intl.LDMLPluralRule], `${folder} ${key} has no form “${category}”`);
        for (const category of Object.keys(message)) assert.ok(rules.resolvedOptions().pluralCategories.includes(category as Intl.LDMLPluralRule), `${folder} ${key} has the form “${category}”, which ${code} does not know`);
      }
    }
  });
}

/** How a language does not address people: all of its messages have the other form. */
const otherForms: { readonly [code: string]: RegExp } = {
  de: /(?<!\p{L})(du|dich|dir|dein\p{L}*)(?!\p{L})/iu,
  es: /(?<!\p{L})(Usted|usted|Escriba|Elija|Compruebe|Elimine)(?!\p{L})/u,
  fr: /(?<!\p{L})(tu|toi|ton|tes)(?!\p{L})/iu,
  it: /(?<!\p{L})(Lei|scriva|scelga|inserisca|elimini)(?!\p{L})/u,
  nl: /(?<!\p{L})(u|uw)(?!\p{L})/iu,
  pt: /(?<!\p{L})(teu|tua|vós|o senhor)(?!\p{L})/iu,
  zh: /您/u,
};

test("each language addresses people in one form", async () => {
  for (const [code, other] of Object.entries(otherForms)) await each(code, (text) => other.test(text) && "it is in the other form");
});

test("a message of a language with several plurals has the form of its number", () => {
  const message = { one: "{n} plik", few: "{n} pliki", many: "{n} plików", other: "{n} pliku" };
  assert.deepEqual([1, 3, 5, 22, 112].map((n) => format(message, { n }, "pl")), ["1 plik", "3 pliki", "5 plików", "22 pliki", "112 plików"]);
  assert.equal(format({ other: "{n} 件" }, { n: 1 }, "ja"), "1 件");
});

// What a language has from English on purpose: names, and what programs read.
const same = new Set<string>(["quire token create --name site --type read-only", "@strapi/client", "curl", "documentId", "dishes, POST, upload …", "true", "false"]);

const englishWord = /\b(the|and|with|this|that|your|you|from|which|when|cannot|not yet)\b/i;

/** How wide a text is: a sign of Chinese or Japanese is as wide as two letters. */
const width = (text: string): number => [...bare(text)].reduce((sum, sign) => sum + (sign >= "⺀" ? 2 : 1), 0);

for (const code of new Set(written.map((file) => file.code).filter((code) => code !== "en"))) {
  test(`${code}: no English is left`, async () => {
    const latin = code !== "ja" && code !== "zh";
    await each(code, (text, english) => {
      if (englishWord.test(bare(text)) && !same.has(english)) return "English words";
      const words = bare(english).match(/\p{L}{2,}/gu) ?? [];
      return text === english && words.length > (latin ? 1 : 0) && /\p{Ll}/u.test(bare(text)) && !same.has(english) && "it is the English text";
    });
  });

  test(`${code}: a label is not much longer than in English`, async () => {
    await each(code, (text, english) => !/[.?!]$/.test(english) && width(english) <= 30 && width(text) > Math.max(20, 2 * width(english) + 6) && `${width(text)} letters for the ${width(english)} of “${english}”`);
  });
}
