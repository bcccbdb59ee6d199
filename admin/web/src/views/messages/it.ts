import type { Messages } from "../../core/message";
import type { en } from "./en";

export const it: Messages<keyof typeof en> = {
  "title": "Viste",
  "none": "Una vista conserva ciò che cerchi e filtri, l’ordine e le colonne.",
  "name": "Salva questa vista come",
  "name-example": "Le mie bozze",
  "share": "Condividila con tutti",
  "is-shared": "condivisa",
  "save": "Salva la vista",
  "saved": "«{name}» è salvata",
  "chosen": "L’elenco mostra «{name}»",
  "remove": "Rimuovi «{name}»",
  "removed": "«{name}» è rimossa",
};
