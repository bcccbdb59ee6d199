import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in Polish: the same keys as in en.ts, in the same order.
export const pl: Messages<keyof typeof en> = {
  title: "Ostatnio usunięte",
  text: "To, co usunięto w ostatnich dniach. Przywracanie tworzy szkice; nic nie jest publikowane.",
  "text-plain": "To, co usunięto w ostatnich dniach. Przywrócenie czyni to ponownie publicznym.",
  none: "Ostatnio nic nie usunięto",
  "none-text": "To, co zostanie usunięte od teraz, można tu przywrócić przez kilka dni.",
  by: "Usunięto {when}, {name}",
  at: "Usunięto {when}",
  restore: "Przywróć",
  "restore-one": "Przywróć „{title}”",
  history: "Historia: „{title}”",
  restored: "Przywrócono „{title}”",
  open: "Otwórz",
  kept: "Nie ma już tego w historii.",

};
