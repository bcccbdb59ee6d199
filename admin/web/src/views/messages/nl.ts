import type { Messages } from "../../core/message";
import type { en } from "./en";

export const nl: Messages<keyof typeof en> = {
  "title": "Weergaven",
  "none": "Een weergave bewaart waarop je zoekt en filtert, de volgorde en de kolommen.",
  "name": "Deze weergave opslaan als",
  "name-example": "Mijn concepten",
  "share": "Met iedereen delen",
  "is-shared": "gedeeld",
  "save": "Weergave opslaan",
  "saved": "“{name}” is opgeslagen",
  "chosen": "De lijst toont “{name}”",
  "remove": "“{name}” verwijderen",
  "removed": "“{name}” is verwijderd",

};
