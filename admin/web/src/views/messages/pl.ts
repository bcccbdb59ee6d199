import type { Messages } from "../../core/message";
import type { en } from "./en";

export const pl: Messages<keyof typeof en> = {
  "title": "Widoki",
  "none": "Widok przechowuje wyszukiwanie, filtry, kolejność i kolumny.",
  "name": "Zapisz ten widok jako",
  "name-example": "Moje szkice",
  "share": "Udostępnij wszystkim",
  "is-shared": "udostępniony",
  "save": "Zapisz widok",
  "saved": "Zapisano „{name}”",
  "chosen": "Lista pokazuje „{name}”",
  "remove": "Usuń „{name}”",
  "removed": "Usunięto „{name}”",

};
