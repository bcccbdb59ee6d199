// The days of a calendar, in the time zone of whoever looks.

/** A month of a year. */
export interface Month {
  /** "2026-12" */
  readonly name: string;
  /** Its first day. */
  readonly first: Date;
}

/** The month that a text names; null for none. */
export function monthOf(name: string | null): Month | null {
  const found = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name ?? "");
  return found ? { name: found[0], first: new Date(Number(found[1]), Number(found[2]) - 1, 1) } : null;
}

/** The month so many months later. */
export function monthsFrom({ first }: Month, by: number): Month {
  const other = new Date(first.getFullYear(), first.getMonth() + by, 1);
  return { name: dayOf(other).slice(0, 7), first: other };
}

/** "2026-12-24" */
export function dayOf(moment: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The weeks that have days of a month, each of seven days that begin with one, 0 for Sunday. */
export function weeksOf(month: Month, firstDay: number): Date[][] {
  const { first } = month;
  const before = (first.getDay() - firstDay + 7) % 7;
  const weeks: Date[][] = [];
  for (let at = 1 - before; at === 1 - before || new Date(first.getFullYear(), first.getMonth(), at).getMonth() === first.getMonth(); at += 7) {
    weeks.push(Array.from({ length: 7 }, (_, i) => new Date(first.getFullYear(), first.getMonth(), at + i)));
  }
  return weeks;
}
