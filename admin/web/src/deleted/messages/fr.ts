import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in French: the same keys as in en.ts, in the same order.
export const fr: Messages<keyof typeof en> = {
  title: "Supprimés récemment",
  text: "Ce qui a été supprimé ces derniers jours. La restauration crée des brouillons ; rien n’est publié.",
  "text-plain": "Ce qui a été supprimé ces derniers jours. La restauration le rend à nouveau public.",
  none: "Rien n’a été supprimé récemment",
  "none-text": "Ce qui est supprimé à partir de maintenant peut être restauré ici pendant quelques jours.",
  by: "Supprimé {when} par {name}",
  at: "Supprimé {when}",
  restore: "Restaurer",
  "restore-one": "Restaurer « {title} »",
  history: "Historique de « {title} »",
  restored: "« {title} » a été restauré",
  open: "Ouvrir",
  kept: "L’historique ne l’a plus.",
};
