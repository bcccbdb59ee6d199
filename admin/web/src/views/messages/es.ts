import type { Messages } from "../../core/message";
import type { en } from "./en";

export const es: Messages<keyof typeof en> = {
  "title": "Vistas",
  "none": "Una vista guarda lo que buscas y filtras, el orden y las columnas.",
  "name": "Guardar esta vista como",
  "name-example": "Mis borradores",
  "share": "Compartirla con todo el mundo",
  "is-shared": "compartida",
  "save": "Guardar la vista",
  "saved": "«{name}» se ha guardado",
  "chosen": "La lista muestra «{name}»",
  "remove": "Quitar «{name}»",
  "removed": "«{name}» se ha quitado",
};
