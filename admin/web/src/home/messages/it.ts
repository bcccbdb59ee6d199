import type { Messages } from "../../core/message";
import type { en } from "./en";

export const it: Messages<keyof typeof en> = {
  "title": "Disponi la prima schermata",
  "parts": "Parti",
  "stored": "Disposto",
  "usual": "Torna alla schermata abituale",
  "wide": "Largo",
  "wide-of": "{name} a tutta larghezza",
  "remove": "Rimuovi {name}",
  "add": "Aggiungi una parte",
  "kind.count": "Numero",
  "kind.chart": "Grafico",
  "kind.note": "Nota",
  "part-title": "Titolo",
  "text": "Testo",
  "of": "Voci di",
  "group": "Raggruppate per",
  "which": "Quali voci",
  "which-help": "Tutte, o quelle di una vista che hai salvato nell’elenco.",
  "all": "Tutte",
  "chosen": "Com’è ora",
  "by": "{type} per {by}",
  "entries": { one: "{n} voce di {type}", other: "{n} voci di {type}" },
  "nothing": "Non ci sono voci.",
  "more": { one: "e {n} altro valore", other: "e altri {n} valori" },
  "empty": "vuoto",
};
