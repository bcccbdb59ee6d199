import type { Messages } from "../../core/message";
import type { en } from "./en";

export const de: Messages<keyof typeof en> = {
  "title": "Startseite einrichten",
  "parts": "Teile",
  "stored": "Eingerichtet",
  "usual": "Zurück zur üblichen Startseite",
  "wide": "Breit",
  "wide-of": "{name} über die ganze Breite",
  "remove": "{name} entfernen",
  "add": "Teil hinzufügen",
  "kind.count": "Anzahl",
  "kind.chart": "Diagramm",
  "kind.note": "Notiz",
  "part-title": "Titel",
  "text": "Text",
  "of": "Einträge von",
  "group": "Gruppiert nach",
  "which": "Welche Einträge",
  "which-help": "Alle, oder die einer Ansicht, die Sie in der Liste gespeichert haben.",
  "all": "Alle",
  "chosen": "Wie jetzt",
  "by": "{type} nach {by}",
  "entries": { one: "{n} Eintrag: {type}", other: "{n} Einträge: {type}" },
  "nothing": "Es gibt keine Einträge.",
  "more": { one: "und {n} weiterer Wert", other: "und {n} weitere Werte" },
  "empty": "leer",
};
