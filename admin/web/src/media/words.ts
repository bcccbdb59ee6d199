// The messages of the media library.

import { catalogue } from "../core/i18n";
import { en } from "./messages/en";

type Key = keyof typeof en;

export const t = catalogue<Key>("media", en);
