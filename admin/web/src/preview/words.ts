// The messages of this piece.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

export const t = catalogue<keyof typeof en>("preview", en);
