import type { Messages } from "../../core/message";
import type { en } from "./en";

export const es: Messages<keyof typeof en> = {
  "title": "Organizar la primera pantalla",
  "parts": "Partes",
  "stored": "Organizado",
  "usual": "Volver a la pantalla habitual",
  "wide": "Ancho",
  "wide-of": "{name} a todo el ancho",
  "remove": "Quitar {name}",
  "add": "Añadir una parte",
  "kind.count": "Número",
  "kind.chart": "Gráfico",
  "kind.note": "Nota",
  "part-title": "Título",
  "text": "Texto",
  "of": "Entradas de",
  "group": "Agrupadas por",
  "which": "Qué entradas",
  "which-help": "Todas, o las de una vista que hayas guardado en la lista.",
  "all": "Todas",
  "chosen": "Como está ahora",
  "by": "{type} por {by}",
  "entries": { one: "{n} entrada de {type}", other: "{n} entradas de {type}" },
  "nothing": "No hay entradas.",
  "more": { one: "y {n} valor más", other: "y {n} valores más" },
  "empty": "vacío",
};
