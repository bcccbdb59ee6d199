// Publishing and unpublishing at a time.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { formatDateTime, t } from "../core/i18n";
import { inAnHour, toLocal, toUTC } from "../core/local-time";
import { may } from "../core/schema";
import { Button, IconButton } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Select, TextInput } from "../ui/inputs";
import { toast } from "../ui/toasts";
import { cancel, schedule } from "./actions";
import { useSheet } from "./context";
import type { Schedule } from "./document";

/** Whether the dialog is open. */
export const scheduling = signal(false);

/** What is planned for the document, and what could not be done. */
export function Schedules() {
  const { editing } = useSheet();
  const planned = (editing.loaded.value?.schedules ?? []).filter((s) => s.state !== "done" && concerns(s, editing.locale));
  const mayPlan = editing.exists && editing.type.draftAndPublish && (may(editing.type, "publish") || may(editing.type, "unpublish"));
  if (!mayPlan && planned.length === 0) return null;
  return (
    <section class="side-section" aria-labelledby="side-schedule">
      <h2 id="side-schedule">{t("schedule.heading")}</h2>
      <ul class="side-list">
        {planned.map((s) => (
          <li key={s.id} class={s.state === "failed" ? "failed" : undefined}>
            <Icon name={s.state === "failed" ? "error" : "clock"} />
            <span>
              {t(s.state === "failed" ? `schedule.failed-${s.action}` : `schedule.will-${s.action}`, { at: formatDateTime(s.at) })}
              {s.failure?.reason && <span class="field-help"> {s.failure.reason}</span>}
              {s.retryAt && <span class="field-help"> {t("schedule.again", { at: formatDateTime(s.retryAt) })}</span>}
            </span>
            {may(editing.type, s.action) && <IconButton small icon="close" label={t("schedule.cancel", { at: formatDateTime(s.at) })} onClick={() => void cancel(editing, s)} />}
          </li>
        ))}
      </ul>
      {mayPlan && (
        <Button small variant="quiet" icon="clock" onClick={() => (scheduling.value = true)}>
          {t("editor.schedule")}
        </Button>
      )}
      {scheduling.value && <ScheduleDialog />}
    </section>
  );
}

const concerns = (s: Schedule, locale: string | null) => locale === null || s.locales.length === 0 || s.locales.includes("*") || s.locales.includes(locale);

function ScheduleDialog() {
  const { editing } = useSheet();
  const choices = (["publish", "unpublish"] as const).filter((action) => may(editing.type, action));
  const [action, setAction] = useState<"publish" | "unpublish">(choices[0] ?? "publish");
  const [at, setAt] = useState(toLocal(inAnHour()));
  const [error, setError] = useState<string | null>(null);
  const close = () => (scheduling.value = false);
  const plan = async () => {
    const moment = toUTC(at);
    if (!(Date.parse(moment) > Date.now())) return setError(t("schedule.past"));
    close();
    if (await schedule(editing, action, moment)) toast({ kind: "done", text: t(`schedule.will-${action}`, { at: formatDateTime(moment) }) });
  };
  return (
    <Dialog
      open
      size="small"
      title={t("schedule.title")}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>{t("cancel")}</Button>
          <Button variant="primary" onClick={() => void plan()}>
            {t("schedule.action")}
          </Button>
        </>
      }
    >
      <div class="form-rows">
        <Field label={t("schedule.what")}>
          {(wired) => (
            <Select {...wired} value={action} onInput={(value) => setAction(value === "unpublish" ? value : "publish")} options={choices.map((value) => ({ value, label: t(`editor.${value}`) }))} />
          )}
        </Field>
        <Field label={t("schedule.when")} errors={error ? [error] : []} help={t("field.time-zone", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}>
          {(wired) => <TextInput {...wired} type="datetime-local" value={at} min={toLocal(new Date().toISOString()).slice(0, 16)} onInput={setAt} />}
        </Field>
      </div>
    </Dialog>
  );
}
