// The messages of suggestions in French.
import type { Messages } from "../../core/message";
import type { en } from "./en";

export const fr: Messages<keyof typeof en> = {
  title: "Suggestions depuis {name}",
  shorten: "Raccourcir {label}",
  alternative: "Texte alternatif de {name}",
  by: "Suggestions du modèle de langage {model}. Rien n’est enregistré avant que vous les repreniez et enregistriez.",
  current: "Actuellement",
  suggestion: "Suggestion de {model}",
  asking: "Demande d’une suggestion…",
  waiting: "Attend son tour",
  replaces: "Remplace ce qui y est écrit.",
  nothing: "Il n’y a aucun texte à traduire.",
  take: "Reprendre",
  "take-one": "Reprendre la suggestion pour {label}",
  leave: "Écarter",
  "leave-one": "Écarter la suggestion pour {label}",
  "take-all": { one: "Reprendre {n} suggestion", other: "Reprendre les {n}" },
  again: "Réessayer",
  "again-one": "Réessayer : {label}",
  taken: "Reprise",
  left: "Écartée",
  close: "Fermer",
  ready: { one: "{n} suggestion est prête", other: "{n} suggestions sont prêtes" },
};
