// The form of a webhook: what it is called, where it sends to, and what.

import { useState } from "preact/hooks";
import { content } from "../core/api";
import { t as common } from "../core/i18n";
import { FormDialog } from "../screens/form-dialog";
import { Field } from "../ui/field";
import { Checkbox, Switch, TextInput } from "../ui/inputs";
import type { Webhook } from "./webhooks";
import { t } from "./words";

const events = ["entry.create", "entry.update", "entry.delete", "entry.publish", "entry.unpublish", "media.create", "media.update", "media.delete"] as const;

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
  const [enabled, enable] = useState(hook?.enabled ?? true);
  const check = () => ({
    ...(name.trim() === "" && { name: t("hooks.name-missing") }),
    ...(!/^https?:\/\/[^/]/.test(url.trim()) && { url: t("hooks.url-wrong") }),
    ...(chosen.length === 0 && { events: t("hooks.events-missing") }),
  });
  const send = async () => {
    const data = { name: name.trim(), url: url.trim(), events: chosen.length === events.length ? [] : chosen, enabled };
    const answer = hook ? await content<Webhook>("PUT", `/_webhooks/${hook.id}`, { body: { data } }) : await content<Webhook>("POST", "/_webhooks", { body: { data } });
    await onSaved(answer.data);
  };
  const toggle = (event: string, on: boolean) => choose(events.filter((one) => (one === event ? on : chosen.includes(one))));
  const title = hook ? t("hooks.edit-title", { name: hook.name }) : t("hooks.add");
  return (
    <FormDialog title={title} action={hook ? common("save") : t("hooks.add")} fields={["name", "url", "events"]} check={check} send={send} onClose={onClose}>
      {(errors) => (
        <>
          <Field label={t("hooks.name")} required errors={errors.name}>
            {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
          </Field>
          <Field label={t("hooks.url")} required help={t("hooks.url-help")} errors={errors.url}>
            {(wired) => <TextInput {...wired} type="url" mono value={url} onInput={setUrl} />}
          </Field>
          <Field label={t("hooks.events")} labels="group" errors={errors.events}>
            {(_, labelId) => (
              <div class="hook-events" role="group" aria-labelledby={labelId}>
                {events.map((event) => (
                  <Checkbox key={event} checked={chosen.includes(event)} onInput={(on) => toggle(event, on)}>
                    {event}
                  </Checkbox>
                ))}
              </div>
            )}
          </Field>
          <Switch checked={enabled} onInput={enable}>
            {t("hooks.enabled")}
          </Switch>
        </>
      )}
    </FormDialog>
  );
}
