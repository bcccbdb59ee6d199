import type { Messages } from "../../core/message";
import type { en } from "./en";

export const fr: Messages<keyof typeof en> = {
  "title": "Organiser le premier écran",
  "parts": "Éléments",
  "stored": "Organisé",
  "usual": "Revenir à l’écran habituel",
  "wide": "Large",
  "wide-of": "{name} sur toute la largeur",
  "remove": "Retirer {name}",
  "add": "Ajouter un élément",
  "kind.count": "Nombre",
  "kind.chart": "Graphique",
  "kind.note": "Note",
  "part-title": "Titre",
  "text": "Texte",
  "of": "Entrées de",
  "group": "Groupées par",
  "which": "Quelles entrées",
  "which-help": "Toutes, ou celles d’une vue que vous avez enregistrée dans la liste.",
  "all": "Toutes",
  "chosen": "Comme maintenant",
  "by": "{type} par {by}",
  "entries": { one: "{n} entrée de {type}", other: "{n} entrées de {type}" },
  "nothing": "Il n’y a aucune entrée.",
  "more": { one: "et {n} autre valeur", other: "et {n} autres valeurs" },
  "empty": "vide",
};
