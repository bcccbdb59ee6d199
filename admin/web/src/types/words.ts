// The messages of the section of content types.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

export type Key = keyof typeof en;

export const t = catalogue<Key>("types", en);
