// Dates and times, by the inputs of the browser. Moments are shown in the time zone of
// whoever looks, and stored in UTC.

import { t } from "../../core/i18n";
import { toLocal, toUTC } from "../../core/local-time";
import { TextInput } from "../../ui/inputs";
import type { FieldProps } from "../context";
import { nameOf, textOf } from "../form/shape";
import { Frame, useLock } from "./frame";

const asIs = (value: string) => value;

export function DateField(props: FieldProps) {
  return <MomentInput {...props} type="date" shown={asIs} entered={asIs} />;
}

export function TimeField(props: FieldProps) {
  return <MomentInput {...props} type="time" shown={(value) => value.replace(/^(\d\d:\d\d):00$/, "$1")} entered={(value) => (value.length === 5 ? `${value}:00` : value)} />;
}

export function DateTimeField(props: FieldProps) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return <MomentInput {...props} type="datetime-local" shown={toLocal} entered={toUTC} help={t("field.time-zone", { zone })} />;
}

interface MomentInputProps extends FieldProps {
  type: "date" | "time" | "datetime-local";
  /** The value as the input has it, and the other way round. */
  shown: (value: string) => string;
  entered: (value: string) => string;
  help?: string;
}

function MomentInput({ type, shown, entered, help, ...props }: MomentInputProps) {
  const { attribute, form, path } = props;
  const local = shown(textOf(form.value(path).value));
  const locked = useLock(attribute);
  const step = /\.\d/.test(local) ? "0.001" : /:\d\d:(?!00)\d\d/.test(local) ? "1" : undefined; // seconds show where there are some
  return (
    <Frame {...props} help={help}>
      {(wired) => <TextInput {...wired} class="moment" type={type} value={local} step={step} readOnly={locked} onInput={(text) => form.set(path, entered(text), { merge: nameOf(path) })} />}
    </Frame>
  );
}
