import type { Messages } from "../../core/message";
import type { en } from "./en";

export const nl: Messages<keyof typeof en> = {
  title: "Suggesties uit {name}",
  shorten: "{label} inkorten",
  alternative: "Alternatieve tekst voor {name}",
  by: "Suggesties van het taalmodel {model}. Er wordt niets opgeslagen totdat je ze overneemt en opslaat.",
  current: "Nu",
  suggestion: "Suggestie van {model}",
  asking: "Suggestie wordt gevraagd…",
  waiting: "Wacht op de beurt",
  replaces: "Vervangt wat er staat.",
  nothing: "Er zijn geen teksten om te vertalen.",
  take: "Overnemen",
  "take-one": "De suggestie voor {label} overnemen",
  leave: "Laten",
  "leave-one": "De suggestie voor {label} laten",
  "take-all": { one: "{n} suggestie overnemen", other: "Alle {n} overnemen" },
  again: "Opnieuw proberen",
  "again-one": "Opnieuw proberen: {label}",
  taken: "Overgenomen",
  left: "Gelaten",
  close: "Sluiten",
  ready: { one: "{n} suggestie is klaar", other: "{n} suggesties zijn klaar" },
};
