import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in Spanish: the same keys as in en.ts, in the same order.
export const es: Messages<keyof typeof en> = {
  title: "Vista previa",
  frame: "La página de este documento",
  size: "Ancho de la página",
  phone: "Teléfono",
  desktop: "Ordenador",
  reload: "Volver a cargar la página",
  window: "Abrir en otra ventana",
  close: "Cerrar la vista previa",
  width: "Ancho de la vista previa",
  loading: "Cargando la vista previa …",
  follows: "Muestra lo que se escribe, antes de guardarlo",
  stored: "Muestra lo que está guardado",
  problem: "La vista previa no muestra el último cambio: {reason}",
  outside: "La página está en otra ventana y allí sigue al formulario.",
  back: "Mostrarla de nuevo aquí",
  blocked: "El navegador no ha permitido otra ventana",
};
