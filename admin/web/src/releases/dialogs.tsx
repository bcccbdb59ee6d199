// The small dialogs of releases: a name, and a time.

import { useState } from "preact/hooks";
import { t as common } from "../core/i18n";
import { inAnHour, toLocal, toUTC } from "../core/local-time";
import { FormDialog } from "../screens/form-dialog";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { t } from "./words";

interface NameDialogProps {
  title: string;
  /** The verb on the button. */
  action: string;
  name: string;
  send: (name: string) => Promise<void>;
  onClose: () => void;
}

export function NameDialog({ title, action, name: before, send, onClose }: NameDialogProps) {
  const [name, setName] = useState(before);
  return (
    <FormDialog title={title} action={action} fields={["name"]} check={() => nameMissing(name)} send={() => send(name.trim())} onClose={onClose}>
      {(errors) => (
        <Field label={t("name")} errors={errors.name} help={t("name-help")} required>
          {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
        </Field>
      )}
    </FormDialog>
  );
}

/** What is wrong with the name of a release. */
export const nameMissing = (name: string): { name?: string } => (name.trim() === "" ? { name: t("name-missing") } : {});

export function TimeDialog({ at: before, send, onClose }: { at: string | null; send: (at: string) => Promise<void>; onClose: () => void }) {
  const [at, setAt] = useState(toLocal(before ?? inAnHour()));
  const check = () => (Date.parse(toUTC(at)) > Date.now() ? {} : { at: common("schedule.past") });
  return (
    <FormDialog title={t("schedule-title")} action={common("schedule.action")} fields={["at"]} check={check} send={() => send(toUTC(at))} onClose={onClose}>
      {(errors) => (
        <Field label={common("schedule.when")} errors={errors.at} help={common("field.time-zone", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}>
          {(wired) => <TextInput {...wired} type="datetime-local" value={at} min={toLocal(new Date().toISOString()).slice(0, 16)} onInput={setAt} autofocus />}
        </Field>
      )}
    </FormDialog>
  );
}
