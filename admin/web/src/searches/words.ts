// The messages of the page about searches.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

export type Key = keyof typeof en;

export const t = catalogue<Key>("searches", en);
