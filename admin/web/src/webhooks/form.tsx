// The form of a webhook: what it is called, where it sends to, and what.

import { useState } from "preact/hooks";
import { content } from "../core/api";
import { t as common } from "../core/i18n";
import { schema } from "../core/schema";
import { FormDialog } from "../screens/form-dialog";
import { Field } from "../ui/field";
import { Checkbox, Switch, TextInput } from "../ui/inputs";
import { type Header, Headers, keptHeaders, sentHeaders } from "./headers";
import { events, offeredTypes, type Webhook } from "./hook";
import { t } from "./words";

interface WebhookFormProps {
  /** Null for a new one. */
  of: Webhook | null;
  onClose: () => void;
  onSaved: (hook: Webhook) => Promise<void>;
}

export function WebhookForm({ of: hook, onClose, onSaved }: WebhookFormProps) {
  const [name, setName] = useState(hook?.name ?? "");
  const [url, setUrl] = useState(hook?.url ?? "https://");
  const [chosen, choose] = useState<readonly string[]>(hook?.events.length ? hook.events : events);
  const [types, setTypes] = useState<readonly string[]>(hook?.types ?? []);
  const [locales, setLocales] = useState<readonly string[]>(hook?.locales ?? []);
  const [headers, setHeaders] = useState<readonly Header[]>(keptHeaders(hook?.headers ?? []));
  const [enabled, enable] = useState(hook?.enabled ?? true);
  const moved = hook !== null && url.trim() !== hook.url;
  const check = () => ({
    ...(name.trim() === "" && { name: t("hooks.name-missing") }),
    ...(!/^https?:\/\/[^/]/.test(url.trim()) && { url: t("hooks.url-wrong") }),
    ...(chosen.length === 0 && { events: t("hooks.events-missing") }),
    ...(moved && headers.some((one) => one.kept && one.value === "") && { headers: t("form.headers-moved") }),
  });
  const send = async () => {
    const data = {
      name: name.trim(), url: url.trim(), events: chosen.length === events.length ? [] : chosen, types, locales, enabled,
      headers: sentHeaders(headers),
    };
    const answer = hook ? await content<Webhook>("PUT", `/_webhooks/${hook.id}`, { body: { data } }) : await content<Webhook>("POST", "/_webhooks", { body: { data } });
    await onSaved(answer.data);
  };
  const title = hook ? t("hooks.edit-title", { name: hook.name }) : t("hooks.add");
  const localeOptions = (schema.value?.locales ?? []).map(({ code, name: called }) => ({ key: code, label: called }));
  const typeOptions = offeredTypes().map(({ uid, name: called }) => ({ key: uid, label: called }));
  return (
    <FormDialog title={title} action={hook ? common("save") : t("hooks.add")} size="medium" fields={["name", "url", "events", "types", "locales", "headers"]} check={check} send={send} onClose={onClose}>
      {(errors) => (
        <>
          <Field label={t("hooks.name")} required errors={errors.name}>
            {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
          </Field>
          <Field label={t("hooks.url")} required help={t("hooks.url-help")} errors={errors.url}>
            {(wired) => <TextInput {...wired} type="url" mono value={url} onInput={setUrl} />}
          </Field>
          <Choices label={t("hooks.events")} errors={errors.events} options={events.map((event) => ({ key: event, label: event }))} chosen={chosen} onChoose={choose} />
          <Choices label={t("form.types")} all={t("form.all-types")} errors={errors.types} options={typeOptions} chosen={types} onChoose={setTypes} />
          {localeOptions.length > 1 && <Choices label={t("form.locales")} all={t("form.all-locales")} errors={errors.locales} options={localeOptions} chosen={locales} onChoose={setLocales} />}
          <Headers of={headers} errors={errors.headers} onInput={setHeaders} />
          <Switch checked={enabled} onInput={enable}>
            {t("hooks.enabled")}
          </Switch>
        </>
      )}
    </FormDialog>
  );
}

interface ChoicesProps {
  label: string;
  errors: readonly string[];
  options: readonly { key: string; label: string }[];
  chosen: readonly string[];
  onChoose: (chosen: readonly string[]) => void;
  /** What stands for all: then none is chosen. */
  all?: string;
}

/** Checkboxes of which some are checked, in the order of the options; others stay as they are. */
function Choices({ label, errors, options, chosen, onChoose, all }: ChoicesProps) {
  const known = options.map(({ key }) => key);
  const shown = [...options, ...chosen.filter((key) => !known.includes(key)).map((key) => ({ key, label: key }))];
  const toggle = (key: string, on: boolean) => onChoose(shown.map((one) => one.key).filter((one) => (one === key ? on : chosen.includes(one))));
  return (
    <Field label={label} labels="group" errors={errors}>
      {(_, labelId) => (
        <div class="hook-choices" role="group" aria-labelledby={labelId}>
          {all && (
            <Checkbox checked={chosen.length === 0} disabled={chosen.length === 0} onInput={() => onChoose([])}>
              {all}
            </Checkbox>
          )}
          {shown.map((one) => (
            <Checkbox key={one.key} checked={chosen.includes(one.key)} onInput={(on) => toggle(one.key, on)}>
              {one.label}
            </Checkbox>
          ))}
        </div>
      )}
    </Field>
  );
}
