import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in Polish: the same keys as in en.ts, in the same order.
export const pl: Messages<keyof typeof en> = {
  title: "Podgląd",
  frame: "Strona tego dokumentu",
  size: "Szerokość strony",
  phone: "Telefon",
  desktop: "Komputer",
  reload: "Wczytaj stronę ponownie",
  window: "Otwórz w osobnym oknie",
  close: "Zamknij podgląd",
  width: "Szerokość podglądu",
  loading: "Ładowanie podglądu…",
  follows: "Pokazuje wpisywany tekst jeszcze przed zapisaniem",
  stored: "Pokazuje zapisaną treść",
  problem: "Podgląd nie pokazuje ostatniej zmiany: {reason}",
  outside: "Strona jest w osobnym oknie i tam podąża za formularzem.",
  back: "Pokaż znów tutaj",
  blocked: "Przeglądarka nie pozwoliła otworzyć okna",

};
