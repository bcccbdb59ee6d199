import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in French: the same keys as in en.ts, in the same order.
export const fr: Messages<keyof typeof en> = {
  title: "Aperçu",
  frame: "La page de ce document",
  size: "Largeur de la page",
  phone: "Téléphone",
  desktop: "Ordinateur",
  reload: "Recharger la page",
  window: "Ouvrir dans une autre fenêtre",
  close: "Fermer l’aperçu",
  width: "Largeur de l’aperçu",
  loading: "Chargement de l’aperçu …",
  follows: "Montre ce qui est saisi, avant l’enregistrement",
  stored: "Montre ce qui est enregistré",
  problem: "L’aperçu ne montre pas la dernière modification : {reason}",
  outside: "La page est dans une autre fenêtre et y suit le formulaire.",
  back: "L’afficher de nouveau ici",
  blocked: "Le navigateur n’a pas autorisé d’autre fenêtre",
};
