// Numbers. They are typed as text, so that no digit of a long one is lost.

import { t } from "../../core/i18n";
import { TextInput } from "../../ui/inputs";
import type { FieldProps } from "../context";
import { Frame, useLock } from "./frame";
import { useText } from "./text";

export function NumberField(props: FieldProps) {
  const { attribute } = props;
  const [text, type] = useText(props);
  const locked = useLock(attribute);
  const whole = attribute.type === "integer" || attribute.type === "biginteger";
  return (
    <Frame {...props} help={rangeOf(attribute.min, attribute.max)}>
      {(wired) => <TextInput {...wired} placeholder={attribute.placeholder} class="number" inputMode={whole ? "numeric" : "decimal"} value={text} onInput={type} readOnly={locked} autocomplete="off" />}
    </Frame>
  );
}

function rangeOf(min: number | string | undefined, max: number | string | undefined): string | undefined {
  if (min !== undefined && max !== undefined) return t("field.range", { min: String(min), max: String(max) });
  if (min !== undefined) return t("field.at-least", { min: String(min) });
  if (max !== undefined) return t("field.at-most", { max: String(max) });
  return undefined;
}
