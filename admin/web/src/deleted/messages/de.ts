import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in German: the same keys as in en.ts, in the same order.
export const de: Messages<keyof typeof en> = {
  title: "Zuletzt gelöscht",
  text: "Was in den letzten Tagen gelöscht wurde. Wiederherstellen erzeugt Entwürfe; veröffentlicht wird nichts.",
  "text-plain": "Was in den letzten Tagen gelöscht wurde. Wiederherstellen macht es wieder öffentlich.",
  none: "Zuletzt wurde nichts gelöscht",
  "none-text": "Was ab jetzt gelöscht wird, lässt sich hier einige Tage lang wiederherstellen.",
  by: "Gelöscht {when} von {name}",
  at: "Gelöscht {when}",
  restore: "Wiederherstellen",
  "restore-one": "„{title}“ wiederherstellen",
  history: "Verlauf von „{title}“",
  restored: "„{title}“ wurde wiederhergestellt",
  open: "Öffnen",
  kept: "Der Verlauf hat es nicht mehr.",
};
