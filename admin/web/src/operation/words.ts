// The messages of the section of operation, and its figures in words.

import { catalogue, formatNumber } from "../core/i18n";
import { en } from "./messages/en";

type Key = keyof typeof en;

export const t = catalogue<Key>("operation", en);

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** 1536 as "1.5 KiB". */
export function formatBytes(bytes: number): string {
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${formatNumber(bytes < 10 && unit > 0 ? Math.round(bytes * 10) / 10 : Math.round(bytes))} ${units[unit]}`;
}

/** 0.0015 as "1.5 ms". */
export function formatSeconds(seconds: number): string {
  if (seconds >= 1) return `${formatNumber(round(seconds))} s`;
  if (seconds >= 0.001) return `${formatNumber(round(seconds * 1000))} ms`;
  return `${formatNumber(Math.round(seconds * 1e6))} µs`;
}

/** A figure with as many digits as it takes to tell it from others. */
export function round(figure: number): number {
  return figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(2));
}
