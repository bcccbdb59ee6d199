import type { Messages } from "../../core/message";
import type { en } from "./en";

export const nl: Messages<keyof typeof en> = {
  "title": "Startscherm indelen",
  "parts": "Onderdelen",
  "stored": "Indeling opgeslagen",
  "usual": "Terug naar het gewone scherm",
  "wide": "Breed",
  "wide-of": "{name} over de hele breedte",
  "remove": "{name} verwijderen",
  "add": "Onderdeel toevoegen",
  "kind.count": "Aantal",
  "kind.chart": "Grafiek",
  "kind.note": "Notitie",
  "part-title": "Titel",
  "text": "Tekst",
  "of": "Items van",
  "group": "Gegroepeerd op",
  "which": "Welke items",
  "which-help": "Alle, of die van een weergave die je in de lijst hebt opgeslagen.",
  "all": "Alle",
  "chosen": "Zoals nu",
  "by": "{type} per {by}",
  "entries": { one: "{n} item van {type}", other: "{n} items van {type}" },
  "nothing": "Er zijn geen items.",
  "more": { one: "en nog {n} waarde", other: "en nog {n} waarden" },
  "month": "{by} (maand)",
  "latest": "Alleen de laatste {n} maanden worden getoond.",
  "empty": "leeg",

};
