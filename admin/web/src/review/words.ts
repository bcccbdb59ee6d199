// The messages of this piece, and what the server says of a review.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

export const t = catalogue<keyof typeof en>("review", en);

export interface Person {
  id: string;
  /** Empty for an account that was removed. */
  name: string;
}

export interface Comment {
  id: string;
  /** The first comment of the thread that it answers. */
  thread: string | null;
  field: string | null;
  text: string;
  by: Person;
  at: string;
  mentions: Person[];
  resolved: { by: Person; at: string } | null;
  own: boolean;
}

export interface Review {
  stage: string | null;
  stages: { id: string; name: string; may: boolean }[];
  publish: string | null;
  mayChange: boolean;
  assignee: Person | null;
  due: string | null;
  comments: Comment[];
}

export const nameOf = (person: Person): string => person.name || t("somebody");

/** The people whom a text mentions; of two names that begin alike, the longer one. */
export function mentioned(text: string, people: readonly Person[]): string[] {
  const ids: string[] = [];
  let rest = text;
  for (const person of [...people].sort((a, b) => b.name.length - a.name.length)) {
    if (!person.name || !rest.includes(`@${person.name}`)) continue;
    ids.push(person.id);
    rest = rest.replaceAll(`@${person.name}`, "");
  }
  return ids;
}
