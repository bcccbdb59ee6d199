// Choices: one of several, and yes or no.

import { t } from "../../core/i18n";
import { Select, Switch } from "../../ui/inputs";
import type { FieldProps } from "../context";
import { textOf } from "../form/shape";
import { Frame, useLock } from "./frame";

export function EnumerationField(props: FieldProps) {
  const { attribute, form, path } = props;
  const chosen = textOf(form.value(path).value);
  const locked = useLock(attribute);
  const choices = attribute.enum ?? [];
  const options = choices.map((value) => ({ value, label: value }));
  if (!attribute.required || chosen === "") options.unshift({ value: "", label: t("field.not-set") });
  if (chosen !== "" && !choices.includes(chosen)) options.push({ value: chosen, label: chosen });
  return <Frame {...props}>{(wired) => <Select {...wired} value={chosen} options={options} disabled={locked} onInput={(value) => form.set(path, value)} />}</Frame>;
}

export function BooleanField(props: FieldProps) {
  const { attribute, form, path } = props;
  const value = form.value(path).value;
  const locked = useLock(attribute);
  const clear = value !== null && attribute.default === undefined && !attribute.required && !locked && (
    <button type="button" class="link-button" onClick={() => form.set(path, null)} aria-label={t("field.clear-name", { name: attribute.label })}>
      {t("field.clear")}
    </button>
  );
  const word = value === true ? t("field.yes") : value === false ? t("field.no") : t("field.not-set");
  return (
    <Frame {...props} aside={clear}>
      {(wired) => (
        <div class="switch-row">
          <Switch {...wired} checked={value === true} disabled={locked} onInput={(on) => form.set(path, on)} />
          <span class="quiet-text" aria-hidden="true">
            {word}
          </span>
        </div>
      )}
    </Frame>
  );
}
