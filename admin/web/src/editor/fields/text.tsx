// Texts: of one line, of several, addresses and passwords.

import { t } from "../../core/i18n";
import { PasswordInput, TextArea, TextInput } from "../../ui/inputs";
import type { FieldProps } from "../context";
import { limitOf } from "../form/rules";
import { nameOf, textOf } from "../form/shape";
import { Frame, useLock } from "./frame";

/** The value of a leaf that is typed, and what changes it. */
export function useText({ path, form }: FieldProps): [string, (text: string) => void] {
  const text = textOf(form.value(path).value);
  return [text, (typed) => form.set(path, typed, { merge: nameOf(path) })];
}

export function StringField(props: FieldProps) {
  const [text, type] = useText(props);
  const locked = useLock(props.attribute);
  return (
    <Frame {...props} used={text.length} limit={limitOf(props.attribute)}>
      {(wired) => <TextInput {...wired} value={text} onInput={type} readOnly={locked} autocomplete="off" />}
    </Frame>
  );
}

export function EmailField(props: FieldProps) {
  const [text, type] = useText(props);
  const locked = useLock(props.attribute);
  return (
    <Frame {...props} used={text.length} limit={limitOf(props.attribute)}>
      {(wired) => <TextInput {...wired} type="email" inputMode="email" value={text} onInput={type} readOnly={locked} autocomplete="off" spellcheck={false} />}
    </Frame>
  );
}

export function TextField(props: FieldProps) {
  const [text, type] = useText(props);
  const locked = useLock(props.attribute);
  return (
    <Frame {...props} used={text.length} limit={limitOf(props.attribute)}>
      {(wired) => <TextArea {...wired} value={text} onInput={type} readOnly={locked} />}
    </Frame>
  );
}

/** A password can be set and never be read. */
export function PasswordField(props: FieldProps) {
  const [text, type] = useText(props);
  const locked = useLock(props.attribute);
  return (
    <Frame {...props} used={text.length} limit={limitOf(props.attribute)} help={t("field.password-help")}>
      {(wired) => <PasswordInput {...wired} value={text} onInput={type} disabled={locked} autocomplete="new-password" />}
    </Frame>
  );
}
