// Months of charts.

import { language } from "../core/i18n";

export const mostMonths = 24;

interface Month {
  /** As in "2026-11". */
  month: string;
  count: number;
}

/** The latest of some months and all before it, up to the number that a chart shows: those without entries too. */
export function wholeMonths(found: readonly Month[]): Month[] {
  const counts = new Map(found.map(({ month, count }) => [month, count]));
  const sorted = [...counts.keys()].sort();
  const first = sorted[0];
  const all: Month[] = [];
  for (let month = sorted.at(-1); first && month && month >= first && all.length < mostMonths; month = before(month)) {
    all.unshift({ month, count: counts.get(month) ?? 0 });
  }
  return all;
}

function before(month: string): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return number > 1 ? `${month.slice(0, 5)}${String(number - 1).padStart(2, "0")}` : `${String(year - 1).padStart(4, "0")}-12`;
}

/** A month in words: "Nov 2026". */
export function monthOf(month: string): string {
  return new Intl.DateTimeFormat(language.peek(), { month: "short", year: "numeric", timeZone: "UTC" }).format(new Date(`${month}-01T00:00Z`));
}
