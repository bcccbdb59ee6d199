import type { Messages } from "../../core/message";
import type { en } from "./en";

export const de: Messages<keyof typeof en> = {
  "title": "Ansichten",
  "none": "Eine Ansicht bewahrt, wonach Sie suchen und filtern, die Reihenfolge und die Spalten.",
  "name": "Diese Ansicht speichern als",
  "name-example": "Meine Entwürfe",
  "share": "Mit allen teilen",
  "is-shared": "geteilt",
  "save": "Ansicht speichern",
  "saved": "„{name}“ ist gespeichert",
  "chosen": "Die Liste zeigt „{name}“",
  "remove": "„{name}“ entfernen",
  "removed": "„{name}“ ist entfernt",
};
