import type { Messages } from "../../core/message";
import type { en } from "./en";

export const pl: Messages<keyof typeof en> = {
  title: "Sugestie z: {name}",
  shorten: "Skróć: {label}",
  alternative: "Tekst alternatywny: {name}",
  by: "Sugestie modelu językowego {model}. Nic nie zostanie zapisane, dopóki ich nie przyjmiesz i nie zapiszesz.",
  current: "Teraz",
  suggestion: "Sugestia modelu {model}",
  asking: "Pobieranie sugestii…",
  waiting: "Czeka na swoją kolej",
  replaces: "Zastępuje obecną treść.",
  nothing: "Brak tekstów do przetłumaczenia.",
  take: "Przyjmij",
  "take-one": "Przyjmij sugestię dla pola {label}",
  leave: "Odrzuć",
  "leave-one": "Odrzuć sugestię dla pola {label}",
  "take-all": { one: "Przyjmij {n} sugestię", few: "Przyjmij wszystkie {n}", many: "Przyjmij wszystkie {n}", other: "Przyjmij wszystkie {n}" },
  again: "Spróbuj ponownie",
  "again-one": "Spróbuj ponownie: {label}",
  taken: "Przyjęto",
  left: "Odrzucono",
  close: "Zamknij",
  ready: { one: "{n} sugestia jest gotowa", few: "{n} sugestie są gotowe", many: "{n} sugestii jest gotowych", other: "{n} sugestii jest gotowych" },
};
