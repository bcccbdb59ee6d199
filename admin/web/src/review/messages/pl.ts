import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the review of a document in Polish: the same keys as in en.ts, in the same order.
export const pl: Messages<keyof typeof en> = {
  title: "Recenzja",
  stage: "Etap",
  publish: "Publikacja tylko z etapu „{stage}”",
  assignee: "Przypisane do",
  nobody: "Nikt",
  due: "Do",
  save: "Zapisz recenzję",
  saved: "Zapisano recenzję",
  comments: "Komentarze",
  none: "Brak komentarzy.",
  comment: "Nowy komentarz",
  about: "Dotyczy",
  document: "cały dokument",
  help: "Aby kogoś wspomnieć, wpisz @ i nazwę.",
  mention: "Wspomnij: {name}",
  send: "Skomentuj",
  sent: "Dodano komentarz",
  answer: "Odpowiedz",
  "answer-to": "Odpowiedź do: {name}",
  "send-answer": "Wyślij odpowiedź",
  cancel: "Anuluj",
  resolve: "Rozwiąż",
  reopen: "Otwórz ponownie",
  resolved: { one: "{n} rozwiązany wątek", few: "{n} rozwiązane wątki", many: "{n} rozwiązanych wątków", other: "{n} rozwiązanych wątków" },
  "resolved-by": "Rozwiązano: {name}",
  "is-resolved": "Wątek rozwiązano",
  remove: "Usuń komentarz",
  removed: "Usunięto komentarz",
  somebody: "Ktoś, kogo już nie ma",
  "to-field": "Przejdź do pola {field}",
  thread: "Wątek: {field}",

};
