// The messages of the page on which forms and lists are arranged.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

export type Key = keyof typeof en;

export const t = catalogue<Key>("arrange", en);
