import type { Messages } from "../../core/message";
import type { en } from "./en";

export const fr: Messages<keyof typeof en> = {
  "title": "Vues",
  "none": "Une vue conserve votre recherche et vos filtres, l’ordre et les colonnes.",
  "name": "Enregistrer cette vue sous",
  "name-example": "Mes brouillons",
  "share": "La partager avec tout le monde",
  "is-shared": "partagée",
  "save": "Enregistrer la vue",
  "saved": "« {name} » est enregistrée",
  "chosen": "La liste montre « {name} »",
  "remove": "Retirer « {name} »",
  "removed": "« {name} » est retirée",
};
