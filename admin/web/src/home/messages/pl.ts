import type { Messages } from "../../core/message";
import type { en } from "./en";

export const pl: Messages<keyof typeof en> = {
  "title": "Dostosuj ekran startowy",
  "parts": "Elementy",
  "stored": "Zapisano układ",
  "usual": "Wróć do zwykłego ekranu",
  "wide": "Szeroki",
  "wide-of": "{name} na całą szerokość",
  "remove": "Usuń {name}",
  "add": "Dodaj element",
  "kind.count": "Liczba",
  "kind.chart": "Wykres",
  "kind.note": "Notatka",
  "part-title": "Tytuł",
  "text": "Tekst",
  "of": "Wpisy typu",
  "group": "Grupowanie według",
  "which": "Które wpisy",
  "which-help": "Wszystkie albo te z widoku zapisanego na liście.",
  "all": "Wszystkie",
  "chosen": "Jak teraz",
  "by": "{type} według: {by}",
  "entries": { one: "{n} wpis: {type}", few: "{n} wpisy: {type}", many: "{n} wpisów: {type}", other: "{n} wpisów: {type}" },
  "nothing": "Nie ma wpisów.",
  "more": { one: "i jeszcze {n} wartość", few: "i jeszcze {n} wartości", many: "i jeszcze {n} wartości", other: "i jeszcze {n} wartości" },
  "month": "{by} (miesiąc)",
  "latest": "Widać tylko ostatnie {n} miesiące.",
  "empty": "puste",

};
