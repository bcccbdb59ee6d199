// Texts: of one line, of several, addresses and passwords.

import { t } from "../../core/i18n";
import { PasswordInput, TextArea, TextInput } from "../../ui/inputs";
import { type FieldProps, useSheet } from "../context";
import { limitOf } from "../form/rules";
import { nameOf, textOf } from "../form/shape";
import { Frame, useLock } from "./frame";

/** The value of a leaf that is typed, and what changes it. */
export function useText({ path, form }: FieldProps): [string, (text: string) => void] {
  const text = textOf(form.value(path).value);
  return [text, (typed) => form.set(path, typed, { merge: nameOf(path) })];
}

export function StringField(props: FieldProps) {
  const { editing } = useSheet();
  const [text, type] = useText(props);
  const locked = useLock(props.attribute);
  if (props.path.length === 1 && props.attribute.name === editing.type.mainField) return <TitleField {...props} />;
  return (
    <Frame {...props} used={text.length} limit={limitOf(props.attribute)}>
      {(wired) => <TextInput {...wired} placeholder={props.attribute.placeholder} value={text} onInput={type} readOnly={locked} autocomplete="off" />}
    </Frame>
  );
}

/** The title is large, and goes on in the next line where it is long. It has no lines of its own. */
function TitleField(props: FieldProps) {
  const [text, type] = useText(props);
  const locked = useLock(props.attribute);
  return (
    <Frame {...props} class="title" used={text.length} limit={limitOf(props.attribute)}>
      {(wired) => (
        <TextArea
          {...wired}
          rows={1}
          placeholder={props.attribute.placeholder ?? t("editor.untitled")}
          value={text}
          readOnly={locked}
          onInput={(typed) => type(typed.replace(/\s*\n\s*/g, " "))}
          onKeyDown={(event) => event.key === "Enter" && !event.isComposing && event.preventDefault()}
        />
      )}
    </Frame>
  );
}

export function EmailField(props: FieldProps) {
  const [text, type] = useText(props);
  const locked = useLock(props.attribute);
  return (
    <Frame {...props} used={text.length} limit={limitOf(props.attribute)}>
      {(wired) => <TextInput {...wired} placeholder={props.attribute.placeholder} type="email" inputMode="email" value={text} onInput={type} readOnly={locked} autocomplete="off" spellcheck={false} />}
    </Frame>
  );
}

export function TextField(props: FieldProps) {
  const [text, type] = useText(props);
  const locked = useLock(props.attribute);
  return (
    <Frame {...props} used={text.length} limit={limitOf(props.attribute)}>
      {(wired) => <TextArea {...wired} shared placeholder={props.attribute.placeholder} value={text} onInput={type} readOnly={locked} />}
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
