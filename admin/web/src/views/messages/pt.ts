import type { Messages } from "../../core/message";
import type { en } from "./en";

export const pt: Messages<keyof typeof en> = {
  "title": "Visões",
  "none": "Uma visão guarda o que você busca e filtra, a ordem e as colunas.",
  "name": "Salvar esta visão como",
  "name-example": "Meus rascunhos",
  "share": "Compartilhar com todos",
  "is-shared": "compartilhada",
  "save": "Salvar a visão",
  "saved": "“{name}” foi salva",
  "chosen": "A lista mostra “{name}”",
  "remove": "Remover “{name}”",
  "removed": "“{name}” foi removida",
};
