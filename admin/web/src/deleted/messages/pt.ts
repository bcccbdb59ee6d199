import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in Portuguese of Brazil: the same keys as in en.ts, in the same order.
export const pt: Messages<keyof typeof en> = {
  title: "Excluídos recentemente",
  text: "O que foi excluído nos últimos dias. Restaurar cria rascunhos; nada é publicado.",
  "text-plain": "O que foi excluído nos últimos dias. Restaurar o torna público de novo.",
  none: "Nada foi excluído recentemente",
  "none-text": "O que for excluído a partir de agora pode ser restaurado aqui por alguns dias.",
  by: "Excluído {when} por {name}",
  at: "Excluído {when}",
  restore: "Restaurar",
  "restore-one": "Restaurar “{title}”",
  history: "Histórico de “{title}”",
  restored: "“{title}” foi restaurado",
  open: "Abrir",
  kept: "O histórico não o tem mais.",
};
