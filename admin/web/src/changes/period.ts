// A time of which the changes are listed or taken back.

export interface Period {
  /** The first moment, as the API has it. */
  readonly since: string;
  /** The first moment after it; empty for now. */
  readonly until: string;
}

/** A day ago, as the input of a time has it. */
export function dayAgo(): string {
  const now = new Date(Date.now() - 86_400_000);
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
