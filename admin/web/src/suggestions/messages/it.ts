// The messages of suggestions in Italian.
import type { Messages } from "../../core/message";
import type { en } from "./en";

export const it: Messages<keyof typeof en> = {
  title: "Suggerimenti da {name}",
  shorten: "Accorcia {label}",
  alternative: "Testo alternativo di {name}",
  by: "Suggerimenti del modello linguistico {model}. Nulla viene salvato finché non li accetti e salvi.",
  current: "Adesso",
  suggestion: "Suggerimento di {model}",
  asking: "Richiesta di un suggerimento…",
  waiting: "In attesa del suo turno",
  replaces: "Sostituisce ciò che vi è scritto.",
  nothing: "Non ci sono testi da tradurre.",
  take: "Accetta",
  "take-one": "Accetta il suggerimento per {label}",
  leave: "Scarta",
  "leave-one": "Scarta il suggerimento per {label}",
  "take-all": { one: "Accetta {n} suggerimento", other: "Accetta tutti e {n}" },
  again: "Riprova",
  "again-one": "Riprova: {label}",
  taken: "Accettato",
  left: "Scartato",
  close: "Chiudi",
  ready: { one: "{n} suggerimento è pronto", other: "{n} suggerimenti sono pronti" },
};
