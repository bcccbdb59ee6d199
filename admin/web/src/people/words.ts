// The messages of the section of people.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

type Key = keyof typeof en;

export const t = catalogue<Key>("people", en);
