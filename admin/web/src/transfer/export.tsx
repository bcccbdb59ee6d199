// Exporting: what is to be in it, how far it is, and the file to be taken along.

import { useState } from "preact/hooks";
import { apiBase, request } from "../core/api";
import { formatNumber } from "../core/i18n";
import { schema } from "../core/schema";
import { formatBytes } from "../operation/words";
import { FormError } from "../screens/door";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { Checkbox } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { useJob, type Job } from "./job";
import { t } from "./words";

export function Export() {
  const { state, look, begin } = useJob(() => undefined);
  if (!state) return null;
  const { job } = state;
  const own = job?.kind === "export" ? job : null;
  return (
    <SectionPart title={t("export.title")} text={t("export.text")}>
      {job?.running && !own && <p class="notice">{t("export.busy", { who: job.by })}</p>}
      {own && <Shown job={own} look={look} />}
      {!job?.running && <Choice begin={(body) => begin("/transfer/export", body)} />}
    </SectionPart>
  );
}

function Shown({ job, look }: { job: Job; look: () => Promise<unknown> }) {
  const stop = async () => {
    await request("DELETE", "/transfer");
    await look();
  };
  if (job.problem) return <FormError text={[t(`problem.${job.problem}`), job.detail].filter(Boolean).join(" ")} />;
  if (!job.running) {
    return (
      <p class="notice" role="status">
        <span>{t("export.done", { file: job.file, size: formatBytes(job.bytes) })}</span>
        <a class="button small" href={`${apiBase}/transfer/export`} download={job.file}>
          <Icon name="download" />
          {t("export.download")}
        </a>
      </p>
    );
  }
  const far = job.total > 0 ? Math.min(job.done, job.total) : undefined;
  return (
    <div class="form transfer-form">
      <p role="status">{t("export.running", { who: job.by })}</p>
      <progress class="transfer-progress" max={job.total || undefined} value={far} aria-label={t("export.progress")} />
      <p class="quiet-text">{t("export.far", { done: formatNumber(job.done), total: formatNumber(job.total) })}</p>
      <Button onClick={() => void stop().catch(toastError)}>{t("restore.stop")}</Button>
    </div>
  );
}

function Choice({ begin }: { begin: (body: unknown) => Promise<void> }) {
  const [lines, setLines] = useState(false);
  const [chosen, choose] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    await begin({ lines, types: lines ? chosen : [] }).catch(toastError);
    setBusy(false);
  };
  const types = schema.value?.types ?? [];
  return (
    <form class="form transfer-form" onSubmit={submit}>
      <fieldset class="transfer-choice">
        <legend>{t("export.form")}</legend>
        <label class="checkbox">
          <input type="radio" name="form" checked={!lines} onChange={() => setLines(false)} />
          <span>{t("export.archive")}</span>
        </label>
        <label class="checkbox">
          <input type="radio" name="form" checked={lines} onChange={() => setLines(true)} />
          <span>{t("export.lines")}</span>
        </label>
      </fieldset>
      {lines && (
        <fieldset class="transfer-choice">
          <legend>{t("export.types")}</legend>
          {types.map(({ uid, displayName }) => (
            <Checkbox key={uid} checked={chosen.includes(uid)} onInput={(on) => choose(on ? [...chosen, uid] : chosen.filter((other) => other !== uid))}>
              {displayName}
            </Checkbox>
          ))}
        </fieldset>
      )}
      <Button variant="primary" type="submit" busy={busy}>
        {t("export.action")}
      </Button>
    </form>
  );
}
