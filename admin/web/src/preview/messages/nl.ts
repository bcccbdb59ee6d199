import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in Dutch: the same keys as in en.ts, in the same order.
export const nl: Messages<keyof typeof en> = {
  title: "Preview",
  frame: "De pagina van dit document",
  size: "Breedte van de pagina",
  phone: "Telefoon",
  desktop: "Desktop",
  reload: "Pagina opnieuw laden",
  window: "Openen in een ander venster",
  close: "Preview sluiten",
  width: "Breedte van de preview",
  loading: "De preview wordt geladen …",
  follows: "Toont wat wordt getypt, nog voor het is opgeslagen",
  stored: "Toont wat is opgeslagen",
  problem: "De preview toont de laatste wijziging niet: {reason}",
  outside: "De pagina staat in een ander venster en volgt daar het formulier.",
  back: "Weer hier tonen",
  blocked: "De browser heeft geen ander venster toegestaan",

};
