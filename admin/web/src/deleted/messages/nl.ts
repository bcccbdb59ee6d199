import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in Dutch: the same keys as in en.ts, in the same order.
export const nl: Messages<keyof typeof en> = {
  title: "Onlangs verwijderd",
  text: "Wat de afgelopen dagen is verwijderd. Terugzetten levert concepten op; er wordt niets gepubliceerd.",
  "text-plain": "Wat de afgelopen dagen is verwijderd. Terugzetten maakt het weer openbaar.",
  none: "Er is onlangs niets verwijderd",
  "none-text": "Wat vanaf nu wordt verwijderd, kan hier nog enkele dagen worden teruggezet.",
  by: "Verwijderd {when} door {name}",
  at: "Verwijderd {when}",
  restore: "Terugzetten",
  "restore-one": "“{title}” terugzetten",
  history: "Geschiedenis van “{title}”",
  restored: "“{title}” is teruggezet",
  open: "Openen",
  kept: "De geschiedenis heeft dit niet meer.",

};
