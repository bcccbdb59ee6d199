import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in Italian: the same keys as in en.ts, in the same order.
export const it: Messages<keyof typeof en> = {
  title: "Eliminati di recente",
  text: "Ciò che è stato eliminato negli ultimi giorni. Il ripristino crea bozze; nulla viene pubblicato.",
  "text-plain": "Ciò che è stato eliminato negli ultimi giorni. Il ripristino lo rende di nuovo pubblico.",
  none: "Nulla è stato eliminato di recente",
  "none-text": "Ciò che viene eliminato d’ora in poi si può ripristinare qui per alcuni giorni.",
  by: "Eliminato {when} da {name}",
  at: "Eliminato {when}",
  restore: "Ripristina",
  "restore-one": "Ripristina «{title}»",
  history: "Cronologia di «{title}»",
  restored: "«{title}» è stato ripristinato",
  open: "Apri",
  kept: "La cronologia non lo ha più.",
};
