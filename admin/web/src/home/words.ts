// The messages of the parts of the first screen.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

export const t = catalogue<keyof typeof en>("home", en);
