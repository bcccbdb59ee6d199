// The messages of this section.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

export const t = catalogue<keyof typeof en>("changes", en);
