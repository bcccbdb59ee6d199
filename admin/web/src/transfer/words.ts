// The messages on what is done with the data of the site as a whole.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

type Key = keyof typeof en;

export const t = catalogue<Key>("transfer", en);
