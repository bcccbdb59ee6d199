import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in Italian: the same keys as in en.ts, in the same order.
export const it: Messages<keyof typeof en> = {
  title: "Anteprima",
  frame: "La pagina di questo documento",
  size: "Larghezza della pagina",
  phone: "Telefono",
  desktop: "Computer",
  reload: "Ricarica la pagina",
  window: "Apri in un’altra finestra",
  close: "Chiudi l’anteprima",
  width: "Larghezza dell’anteprima",
  loading: "Caricamento dell’anteprima …",
  follows: "Mostra ciò che si scrive, prima del salvataggio",
  stored: "Mostra ciò che è salvato",
  problem: "L’anteprima non mostra l’ultima modifica: {reason}",
  outside: "La pagina è in un’altra finestra e lì segue il modulo.",
  back: "Mostrala di nuovo qui",
  blocked: "Il browser non ha consentito un’altra finestra",
};
