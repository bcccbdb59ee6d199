import type { Messages } from "../../core/message";
import type { en } from "./en";

export const pt: Messages<keyof typeof en> = {
  "title": "Organizar a primeira tela",
  "parts": "Partes",
  "stored": "Organizado",
  "usual": "Voltar à tela padrão",
  "wide": "Largo",
  "wide-of": "{name} em toda a largura",
  "remove": "Remover {name}",
  "add": "Adicionar parte",
  "kind.count": "Número",
  "kind.chart": "Gráfico",
  "kind.note": "Nota",
  "part-title": "Título",
  "text": "Texto",
  "of": "Entradas de",
  "group": "Agrupadas por",
  "which": "Quais entradas",
  "which-help": "Todas ou as de uma visão que você salvou na lista.",
  "all": "Todas",
  "chosen": "Como está agora",
  "by": "{type} por {by}",
  "entries": { one: "{n} entrada de {type}", other: "{n} entradas de {type}" },
  "nothing": "Não há entradas.",
  "more": { one: "e mais {n} valor", other: "e mais {n} valores" },
  "empty": "vazio",
};
