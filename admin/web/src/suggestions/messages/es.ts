// The messages of suggestions in Spanish.
import type { Messages } from "../../core/message";
import type { en } from "./en";

export const es: Messages<keyof typeof en> = {
  title: "Sugerencias a partir de {name}",
  shorten: "Acortar {label}",
  alternative: "Texto alternativo de {name}",
  by: "Sugerencias del modelo de lenguaje {model}. No se guarda nada hasta que lo aceptas y guardas.",
  current: "Ahora",
  suggestion: "Sugerencia de {model}",
  asking: "Pidiendo una sugerencia…",
  waiting: "Espera su turno",
  replaces: "Sustituye lo que hay escrito.",
  nothing: "No hay textos que traducir.",
  take: "Aceptar",
  "take-one": "Aceptar la sugerencia para {label}",
  leave: "Descartar",
  "leave-one": "Descartar la sugerencia para {label}",
  "take-all": { one: "Aceptar {n} sugerencia", other: "Aceptar las {n}" },
  again: "Reintentar",
  "again-one": "Reintentar: {label}",
  taken: "Aceptada",
  left: "Descartada",
  close: "Cerrar",
  ready: { one: "{n} sugerencia está lista", other: "{n} sugerencias están listas" },
};
