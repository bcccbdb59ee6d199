// Moments in the time zone of whoever looks, as inputs of dates and times have them.

/** "2026-03-01T12:00:00.000Z" in local time, as the input has it. */
export function toLocal(iso: string): string {
  const moment = new Date(iso);
  if (iso === "" || Number.isNaN(moment.getTime())) return iso;
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString();
  return local.replace(/(:00)?(\.000)?Z$/, "").replace(/Z$/, "");
}

export function toUTC(local: string): string {
  const moment = new Date(local);
  return local === "" || Number.isNaN(moment.getTime()) ? local : moment.toISOString();
}

/** The next full hour: what a schedule begins with. */
export function inAnHour(): string {
  const moment = new Date(Date.now() + 3_600_000);
  moment.setMinutes(0, 0, 0);
  return moment.toISOString();
}
