// Messages in the language of the user, with plurals, numbers, dates and lists by Intl.

import { signal } from "@preact/signals";
import type { Message, Messages } from "./message";
import { piece } from "./pieces";
import { en } from "./messages/en";

export type Key = keyof typeof en;

export type Values = { readonly [name: string]: string | number };

/** The languages by their codes. Each has a file of messages beside each en.ts. */
export const languages = { en: "English", de: "Deutsch", es: "Español", fr: "Français", it: "Italiano", nl: "Nederlands", pl: "Polski", pt: "Português", ja: "日本語", zh: "简体中文" } as const;
export type Language = keyof typeof languages;

/** Languages that are written from right to left. */
const toTheLeft: ReadonlySet<string> = new Set(["ar", "fa", "he", "ur"]);

const storage = "quire-language";

/** Each shows a language in one of the pieces that are loaded. */
const catalogues: ((code: Language) => Promise<void>)[] = [];

/**
 * The messages of a piece, by the name of its folder: gives the function t for them. English
 * comes with the piece, the other languages when they are first shown, from the file that the
 * builder makes of each. A piece that is loaded when it is needed has a catalogue of its own,
 * so that the start of the admin does not load its messages.
 */
export function catalogue<K extends string>(folder: string, english: Messages<K>) {
  let messages = english;
  catalogues.push(async (code) => {
    const file = `./${folder}-${code}.js`; // beside this script
    messages = code === "en" ? english : ((await piece(() => import(file))) as { [code in Language]: Messages<K> })[code];
  });
  /** The message of key. n chooses the plural and is written as a number. */
  return (key: K, values: Values = {}): string => format(messages[key], values, language.value);
}

/** The language that is shown. Components that call t are drawn again when it changes. */
export const language = signal<Language>("en");

export function isLanguage(code: string | null | undefined): code is Language {
  return Object.hasOwn(languages, code ?? "");
}

/** What the user chose on this device, else what the browser asks for. */
export function preferredLanguage(): Language {
  const stored = localStorage.getItem(storage);
  if (isLanguage(stored)) return stored;
  for (const tag of navigator.languages) {
    const code = tag.slice(0, 2).toLowerCase();
    if (isLanguage(code)) return code;
  }
  return "en";
}

/** Loads and shows a language. */
export async function useLanguage(code: Language): Promise<void> {
  await Promise.all(catalogues.map((show) => show(code)));
  language.value = code;
  document.documentElement.lang = code;
  document.documentElement.dir = toTheLeft.has(code) ? "rtl" : "ltr";
}

/** Shows a language and remembers it on this device. */
export async function keepLanguage(code: Language): Promise<void> {
  localStorage.setItem(storage, code);
  await useLanguage(code);
}

/** Loads the language that is shown for the pieces that have been loaded since it was chosen. */
export async function loadMessages(): Promise<void> {
  await Promise.all(catalogues.map((show) => show(language.peek())));
}

/** The messages that every page needs, and those of content. */
export const t = catalogue<Key>("core", en);

/** format is t without state, for tests. */
export function format(message: Message, values: Values, code: string): string {
  const text = typeof message === "string" ? message : (message[pluralRules(code).select(Number(values.n ?? 0))] ?? message.other);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? numbers(code).format(value) : value;
  });
}

const pluralRules = memo((code) => new Intl.PluralRules(code));
const numbers = memo((code) => new Intl.NumberFormat(code));
const dateTimes = memo((code) => new Intl.DateTimeFormat(code, { dateStyle: "medium", timeStyle: "short" }));
const dates = memo((code) => new Intl.DateTimeFormat(code, { dateStyle: "medium" }));
const relatives = memo((code) => new Intl.RelativeTimeFormat(code, { numeric: "auto" }));
const lists = memo((code) => new Intl.ListFormat(code));

function memo<T>(make: (code: string) => T): (code: string) => T {
  const made = new Map<string, T>();
  return (code) => {
    let value = made.get(code);
    if (value === undefined) made.set(code, (value = make(code)));
    return value;
  };
}

export function formatNumber(n: number): string {
  return numbers(language.value).format(n);
}

/** Date and time of an ISO string, in the user's time zone. */
export function formatDateTime(iso: string): string {
  return dateTimes(language.value).format(new Date(iso));
}

export function formatDate(iso: string): string {
  return dates(language.value).format(new Date(iso));
}

/** "3 minutes ago", "yesterday", and the date after a week. */
export function formatAgo(iso: string, now: number = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const steps: [number, Intl.RelativeTimeFormatUnit][] = [[60, "second"], [3600, "minute"], [86400, "hour"], [7 * 86400, "day"]];
  let unit = 1;
  for (const [limit, name] of steps) {
    if (Math.abs(seconds) < limit) {
      if (name === "second") return t("time.now");
      return relatives(language.value).format(Math.round(seconds / unit), name);
    }
    unit = limit;
  }
  return formatDate(iso);
}

export function formatList(items: string[]): string {
  return lists(language.value).format(items);
}

/** The name of a locale in the user's language, else its code. */
export function formatLocale(code: string): string {
  try {
    return new Intl.DisplayNames([language.value], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}
