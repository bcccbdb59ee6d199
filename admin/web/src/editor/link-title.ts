import { t } from "../core/i18n";
import type { Link } from "./form/shape";

/** What a linked document is called. */
export const titleOf = (link: Link): string => link.title || t("editor.untitled");
