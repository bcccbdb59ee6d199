// The rules of a schema, as the server checks them.

import type { Attribute } from "../../core/schema";
import { itemOf, itemsOf, kindOf, textOf } from "./shape";

/** What is wrong with a value; n and text fill the message of the rule. */
export interface Problem {
  readonly rule: Rule;
  readonly n?: number | string;
  readonly text?: string;
  /** What it keeps from being done: a draft may be saved with what cannot be published. */
  readonly blocks: "save" | "publish";
  /** When it is shown: while typing, when the field is left, or when the form is sent. */
  readonly shows: "typing" | "leaving" | "sending";
}

export type Rule =
  | "required" | "minLength" | "maxLength" | "min" | "max" | "pattern" | "email" | "uid" | "choice"
  | "number" | "integer" | "moment" | "json" | "minItems" | "maxItems" | "bytes" | "unique" | "server";

const shortTexts = new Set(["string", "email", "uid"]);
const shortLength = 255;
const passwordBytes = 72;
const decimalLimit = 1e8;
const int32 = 2 ** 31;
const int64 = 2n ** 63n;

/** What is wrong with the value of an attribute itself, without what is in its items. */
export function problemsOf(a: Attribute, value: unknown, drafts: boolean): readonly Problem[] {
  const found: Problem[] = [];
  const add = (rule: Rule, shows: Problem["shows"], lenient: boolean, n?: number | string, text?: string) =>
    found.push({ rule, shows, blocks: lenient && drafts ? "publish" : "save", n, text });
  if (kindOf(a) === "list") listRules(a, itemsOf(value).length, add);
  else if (kindOf(a) === "slot") a.required && !itemOf(value) && add("required", "sending", true);
  else leafRules(a, value, add);
  return found;
}

type Add = (rule: Rule, shows: Problem["shows"], lenient: boolean, n?: number | string, text?: string) => void;

function listRules(a: Attribute, n: number, add: Add) {
  if (a.min !== undefined && n < Number(a.min) && (n > 0 || a.required)) add("minItems", "leaving", true, a.min);
  else if (a.required && n === 0) add("required", "sending", true);
  if (a.max !== undefined && n > Number(a.max)) add("maxItems", "typing", true, a.max);
}

function leafRules(a: Attribute, value: unknown, add: Add) {
  if (isEmpty(value)) {
    if (a.required && a.type !== "relation" && a.type !== "password") add("required", "sending", true);
    return;
  }
  const text = textOf(value);
  switch (a.type) {
    case "string":
    case "text":
    case "richtext":
    case "email":
    case "uid":
    case "password":
      textRules(a, text, add);
      break;
    case "enumeration":
      if (!a.enum?.includes(text)) add("choice", "typing", false);
      break;
    case "integer":
    case "float":
    case "decimal":
      numberRules(a, text, add);
      break;
    case "biginteger":
      bigRules(a, text, add);
      break;
    case "date":
    case "time":
    case "datetime":
    case "timestamp":
      if (!isMoment(a.type, text)) add("moment", "leaving", false);
      break;
    case "json":
      if (!isJSON(text)) add("json", "leaving", false);
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function textRules(a: Attribute, text: string, add: Add) {
  const most = Math.min(a.maxLength ?? Infinity, shortTexts.has(a.type) ? shortLength : Infinity);
  if (text.length > most) add("maxLength", "typing", false, most);
  if (a.type === "password" && new TextEncoder().encode(text).length > passwordBytes) add("bytes", "typing", false, passwordBytes);
  if (a.minLength !== undefined && text.length < a.minLength) add("minLength", "leaving", a.type !== "password", a.minLength);
  if (a.type === "email" && !emailForm.test(text)) add("email", "leaving", true);
  if (a.type === "uid" && !/^[A-Za-z0-9\-_.~]*$/.test(text)) add("uid", "typing", true);
  const pattern = a.regex === undefined ? null : patternOf(a.regex);
  if (pattern && !pattern.test(text)) add("pattern", "leaving", true, undefined, a.regex);
}

const emailForm = /^[\p{L}\p{N}!#$%&'*+/=?^_{|}~`-]+(\.[\p{L}\p{N}!#$%&'*+/=?^_{|}~`-]+)*@([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;

const patterns = new Map<string, RegExp | null>();

/** The pattern of a schema; null where the browser cannot read it and the server decides. */
function patternOf(text: string): RegExp | null {
  let pattern = patterns.get(text);
  if (pattern === undefined) {
    try {
      pattern = new RegExp(text);
    } catch {
      pattern = null;
    }
    patterns.set(text, pattern);
  }
  return pattern;
}

function numberRules(a: Attribute, text: string, add: Add) {
  const n = numberOf(text);
  if (n === null) return add("number", "leaving", false);
  if (a.type === "integer") {
    if (!Number.isInteger(n)) return add("integer", "leaving", false);
    if (n >= int32) return add("max", "typing", false, int32 - 1);
    if (n < -int32) return add("min", "typing", false, -int32);
  }
  if (a.type === "decimal" && Math.abs(n) >= decimalLimit) return add(n > 0 ? "max" : "min", "typing", false, Math.sign(n) * 99999999.99);
  if (a.max !== undefined && n > Number(a.max)) add("max", "typing", false, a.max);
  if (a.min !== undefined && n < Number(a.min)) add("min", "leaving", true, a.min);
}

/** The number that was typed, with a point or a comma; null where it is none. */
export function numberOf(text: string): number | null {
  const written = text.trim().replace(",", ".");
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(written)) return null;
  const n = Number(written);
  return Number.isFinite(n) ? n : null;
}

function bigRules(a: Attribute, text: string, add: Add) {
  if (!/^[-+]?\d+$/.test(text.trim())) return add("integer", "leaving", false);
  const n = bigOf(text);
  if (n >= int64) return add("max", "typing", false, String(int64 - 1n));
  if (n < -int64) return add("min", "typing", false, String(-int64));
  if (a.max !== undefined && n > bigOf(String(a.max))) add("max", "typing", false, a.max);
  if (a.min !== undefined && n < bigOf(String(a.min))) add("min", "leaving", true, a.min);
}

const bigOf = (text: string): bigint => BigInt(text.trim().replace(/^\+/, ""));

function isMoment(type: string, text: string): boolean {
  switch (type) {
    case "date":
      return /^\d{4}-\d\d-\d\d$/.test(text) && !text.startsWith("0000") && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
    case "time":
      return /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?$/.test(text);
  }
  const moment = new Date(text);
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(moment.getTime()) && moment.getUTCFullYear() > 0;
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What a field says of its limits while one types: how long or how many at most. */
export function limitOf(a: Attribute): number | undefined {
  if (kindOf(a) === "list") return a.max === undefined ? undefined : Number(a.max);
  return a.maxLength;
}

