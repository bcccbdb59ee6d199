import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in Spanish: the same keys as in en.ts, in the same order.
export const es: Messages<keyof typeof en> = {
  title: "Eliminados hace poco",
  text: "Lo que se ha eliminado en los últimos días. Al restaurar se crean borradores; no se publica nada.",
  "text-plain": "Lo que se ha eliminado en los últimos días. Al restaurar vuelve a ser público.",
  none: "No se ha eliminado nada hace poco",
  "none-text": "Lo que se elimine a partir de ahora se puede restaurar aquí durante unos días.",
  by: "Eliminado {when} por {name}",
  at: "Eliminado {when}",
  restore: "Restaurar",
  "restore-one": "Restaurar «{title}»",
  history: "Historial de «{title}»",
  restored: "«{title}» se ha restaurado",
  open: "Abrir",
  kept: "El historial ya no lo tiene.",
};
