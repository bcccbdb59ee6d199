// Importing: the file, what it would do, the second look, and how far it is.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { formatBytes } from "../operation/words";
import { FormError } from "../screens/door";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { Checkbox, PasswordInput } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { useJob, type Existing, type Job, type Jobs } from "./job";
import { ImportReview } from "./import-review";
import { t } from "./words";

const kinds: readonly Job["kind"][] = ["receive", "plan", "import"];

export function Import() {
  const { state, look, begin } = useJob(() => undefined);
  const [sending, setSending] = useState<File | null>(null);
  if (!state) return null;
  const { job } = state;
  const own = job && kinds.includes(job.kind) ? job : null;
  const send = async (file: File) => {
    setSending(file);
    const timer = setInterval(() => void look(), 700);
    await request("POST", "/transfer/file", { query: { name: file.name }, body: file }).catch(toastError);
    clearInterval(timer);
    setSending(null);
    await look();
  };
  const shown = () => {
    if (sending || (own?.running ?? false)) return <Progress job={own} sending={sending} look={look} />;
    if (job?.running) return <p class="notice">{t("export.busy", { who: job.by })}</p>;
    return (
      <>
        {own?.problem && <FormError text={[t(problem(own)), own.detail].filter(Boolean).join(" ")} />}
        {own?.kind === "import" && !own.problem && (
          <p class="notice" role="status">
            <span>{t("import.done", { file: own.file, backup: own.saved })}</span>
          </p>
        )}
        {own?.form ? <Prepare key={own.file} job={own} site={state.site} jobs={{ look, begin }} /> : <Choose send={send} />}
      </>
    );
  };
  return (
    <SectionPart title={t("import.title")} text={t("import.text")}>
      {shown()}
    </SectionPart>
  );
}

function problem({ problem }: Job) {
  return problem === "damaged" ? "problem.damaged-file" : problem === "unfit" ? "problem.unfit-file" : (`problem.${problem as "full"}` as const);
}

function Choose({ send }: { send: (file: File) => Promise<void> }) {
  const [file, setFile] = useState<File | null>(null);
  const [missing, setMissing] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setMissing(!file);
    if (file) void send(file);
  };
  return (
    <form class="form transfer-form" noValidate onSubmit={submit}>
      <Field label={t("import.file")} help={t("import.file-help")} errors={missing ? [t("import.file-missing")] : []}>
        {(wired) => <input {...wired} type="file" class="input" onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)} />}
      </Field>
      <Button variant="primary" type="submit">
        {t("import.send")}
      </Button>
    </form>
  );
}

function Progress({ job, sending, look }: { job: Job | null; sending: File | null; look: Jobs["look"] }) {
  const stop = async () => {
    await request("DELETE", "/transfer");
    await look();
  };
  const texts = { read: "import.planning", write: "import.writing", save: "import.saving", switch: "import.switching", done: "import.switching" } as const;
  const total = sending?.size ?? job?.size ?? 0;
  const done = Math.min(job?.bytes ?? 0, total);
  const comes = sending !== null || job?.kind === "receive";
  return (
    <div class="form transfer-form">
      <p role="status">{t(comes ? "import.sending" : texts[job?.phase ?? "read"])}</p>
      <progress class="transfer-progress" max={total || undefined} value={total > 0 ? done : undefined} aria-label={t("import.progress")} />
      {total > 0 && <p class="quiet-text">{t("import.far", { done: formatBytes(done), total: formatBytes(total) })}</p>}
      {job?.running && job.phase !== "switch" && <Button onClick={() => void stop().catch(toastError)}>{t("restore.stop")}</Button>}
    </div>
  );
}

/** A file that has come: how it is to be imported, and what that would do. */
function Prepare({ job, site, jobs }: { job: Job; site: string; jobs: Pick<Jobs, "look" | "begin"> }) {
  const [existing, setExisting] = useState<Existing>(job.import?.existing ?? "refuse");
  const [skipErrors, setSkip] = useState(job.import?.skipErrors ?? false);
  const [key, setKey] = useState("");
  const plan = async (event: SubmitEvent) => {
    event.preventDefault();
    await jobs.begin("/transfer/plan", { existing, skipErrors, key }).catch(toastError);
  };
  const discard = async () => {
    await request("DELETE", "/transfer/file");
    await jobs.look();
  };
  const options: readonly Existing[] = ["refuse", "merge", "replace"];
  const current = job.import && job.import.existing === existing && job.import.skipErrors === skipErrors;
  return (
    <>
      <form class="form transfer-form" noValidate onSubmit={plan}>
        <p>{job.kind === "receive" ? t("import.there", { file: job.file, size: formatBytes(job.size) }) : job.file}</p>
        <fieldset class="transfer-choice">
          <legend>{t("import.existing")}</legend>
          {options.map((one) => (
            <label key={one} class="checkbox">
              <input type="radio" name="existing" checked={existing === one} onChange={() => setExisting(one)} />
              <span>{t(`import.${one}`)}</span>
            </label>
          ))}
        </fieldset>
        <Checkbox checked={skipErrors} onInput={setSkip}>
          {t("import.skip")}
        </Checkbox>
        {job.form === "sealed" && <Field label={t("import.key")}>{(wired) => <PasswordInput {...wired} autocomplete="off" value={key} onInput={setKey} />}</Field>}
        <Button variant={current ? "secondary" : "primary"} type="submit">
          {t("import.look")}
        </Button>
        <Button onClick={() => void discard().catch(toastError)}>{t("import.discard")}</Button>
      </form>
      {current && job.import && <ImportReview plan={job.import} job={job} site={site} begin={jobs.begin} />}
    </>
  );
}
