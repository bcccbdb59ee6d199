// Problems in words: what is wrong, and what to type.

import { t } from "../core/i18n";
import type { Problem } from "./form/rules";

export function say(p: Problem): string {
  const n = p.n ?? 0;
  switch (p.rule) {
    case "server":
      return p.text ?? "";
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
    case "bytes":
      return t(`rule.${p.rule}`, { n: Number(n) });
    case "min":
    case "max":
      return t(`rule.${p.rule}`, { limit: String(n) });
    case "pattern":
      return t("rule.pattern", { pattern: p.text ?? "" });
    default:
      return t(`rule.${p.rule}`);
  }
}
