// The messages of suggestions, in German.
import type { Messages } from "../../core/message";
import type { en } from "./en";

export const de: Messages<keyof typeof en> = {
  title: "Vorschläge aus {name}",
  shorten: "{label} kürzen",
  alternative: "Alternativtext für {name}",
  by: "Vorschläge des Sprachmodells {model}. Gespeichert wird nur, was Sie übernehmen und speichern.",
  current: "Jetzt",
  suggestion: "Vorschlag von {model}",
  asking: "Ein Vorschlag wird angefragt…",
  waiting: "Kommt noch an die Reihe",
  replaces: "Ersetzt, was dort steht.",
  nothing: "Es gibt keine Texte zum Übersetzen.",
  take: "Übernehmen",
  "take-one": "Den Vorschlag für {label} übernehmen",
  leave: "Verwerfen",
  "leave-one": "Den Vorschlag für {label} verwerfen",
  "take-all": { one: "{n} Vorschlag übernehmen", other: "Alle {n} übernehmen" },
  again: "Noch einmal",
  "again-one": "Noch einmal: {label}",
  taken: "Übernommen",
  left: "Verworfen",
  close: "Schließen",
  ready: { one: "{n} Vorschlag ist da", other: "{n} Vorschläge sind da" },
};
