import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in German: the same keys as in en.ts, in the same order.
export const de: Messages<keyof typeof en> = {
  title: "Vorschau",
  frame: "Die Seite dieses Dokuments",
  size: "Breite der Seite",
  phone: "Telefon",
  desktop: "Rechner",
  reload: "Seite neu laden",
  window: "In eigenem Fenster öffnen",
  close: "Vorschau schließen",
  width: "Breite der Vorschau",
  loading: "Die Vorschau wird geladen …",
  follows: "Zeigt, was im Formular steht, schon vor dem Speichern",
  stored: "Zeigt, was gespeichert ist",
  problem: "Die Vorschau zeigt die letzte Änderung nicht: {reason}",
  outside: "Die Seite ist in einem eigenen Fenster und folgt dort dem Formular.",
  back: "Wieder hier zeigen",
  blocked: "Der Browser hat kein eigenes Fenster erlaubt",
};
