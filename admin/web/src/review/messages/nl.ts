import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the review of a document in Dutch: the same keys as in en.ts, in the same order.
export const nl: Messages<keyof typeof en> = {
  title: "Beoordeling",
  stage: "Fase",
  publish: "Wordt alleen vanuit “{stage}” gepubliceerd",
  assignee: "Toegewezen aan",
  nobody: "Niemand",
  due: "Uiterlijk",
  save: "Beoordeling opslaan",
  saved: "De beoordeling is opgeslagen",
  comments: "Opmerkingen",
  none: "Nog geen opmerkingen.",
  comment: "Nieuwe opmerking",
  about: "Over",
  document: "het hele document",
  help: "Met @ en een naam noem je iemand.",
  mention: "{name} noemen",
  send: "Plaatsen",
  sent: "De opmerking is toegevoegd",
  answer: "Antwoorden",
  "answer-to": "Antwoord aan {name}",
  "send-answer": "Antwoord versturen",
  cancel: "Annuleren",
  resolve: "Afhandelen",
  reopen: "Heropenen",
  resolved: { one: "{n} afgehandeld gesprek", other: "{n} afgehandelde gesprekken" },
  "resolved-by": "Afgehandeld door {name}",
  "is-resolved": "Het gesprek is afgehandeld",
  remove: "Opmerking verwijderen",
  removed: "De opmerking is verwijderd",
  somebody: "Iemand die er niet meer is",
  "to-field": "Naar het veld {field}",
  thread: "Gesprek over {field}",

};
