// What somebody asks the language model for.

import type { Attribute } from "../core/schema";
import type { Path } from "../editor/form/shape";

/** Translations of one attribute of a form, or of all; or a shorter text. */
export type Wanted = { readonly from: string; readonly name: string | null } | { readonly path: Path; readonly attribute: Attribute };
