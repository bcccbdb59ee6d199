// The messages of the section of settings, and values of settings in words.

import { catalogue, formatList, formatNumber } from "../core/i18n";
import { typeOf } from "../core/schema";
import { en } from "./messages/en";

export type Key = keyof typeof en;

export const t = catalogue<Key>("settings", en);

/** What people call a content type, else its uid. */
export const nameOfType = (uid: string): string => typeOf(uid)?.displayName ?? uid;

/** What a value of a setting can be; null for none. */
export type Value = string | number | boolean | string[] | null;

/** A value as people say it: 1048576 bytes are "1 MiB", 300 seconds "5 minutes". */
export function sayValue(value: Value, unit: string): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return t("value.none");
  if (typeof value === "boolean") return value ? t("value.on") : t("value.off");
  if (Array.isArray(value)) return formatList(value);
  if (typeof value === "string") return value;
  if (unit === "bytes") return sayBytes(value);
  if (unit === "seconds") return saySeconds(value);
  return unit === "days" ? t("value.days", { n: value }) : formatNumber(value);
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

function sayBytes(bytes: number): string {
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${formatNumber(Math.round(bytes * 100) / 100)} ${units[unit]}`;
}

const spans = [
  ["value.days", 86_400],
  ["value.hours", 3600],
  ["value.minutes", 60],
] as const;

/** In the largest unit of which it is a whole number. */
function saySeconds(seconds: number): string {
  if (seconds === 0) return t("value.off");
  const span = spans.find(([, one]) => seconds % one === 0);
  return span ? t(span[0], { n: seconds / span[1] }) : t("value.seconds", { n: seconds });
}
