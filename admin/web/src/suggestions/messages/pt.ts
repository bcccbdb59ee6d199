// The messages of suggestions in Portuguese of Brazil.
import type { Messages } from "../../core/message";
import type { en } from "./en";

export const pt: Messages<keyof typeof en> = {
  title: "Sugestões a partir de {name}",
  shorten: "Encurtar {label}",
  alternative: "Texto alternativo de {name}",
  by: "Sugestões do modelo de linguagem {model}. Nada é salvo até você aceitar e salvar.",
  current: "Agora",
  suggestion: "Sugestão de {model}",
  asking: "Pedindo uma sugestão…",
  waiting: "Aguarda a vez",
  replaces: "Substitui o que está escrito.",
  nothing: "Não há textos para traduzir.",
  take: "Aceitar",
  "take-one": "Aceitar a sugestão para {label}",
  leave: "Descartar",
  "leave-one": "Descartar a sugestão para {label}",
  "take-all": { one: "Aceitar {n} sugestão", other: "Aceitar todas as {n}" },
  again: "Tentar novamente",
  "again-one": "Tentar novamente: {label}",
  taken: "Aceita",
  left: "Descartada",
  close: "Fechar",
  ready: { one: "{n} sugestão está pronta", other: "{n} sugestões estão prontas" },
};
