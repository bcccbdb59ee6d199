// What is done with the data of the site as a whole. Here: restoring a backup, what it would
// do, the second look, and how far it is.

import { useEffect } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { sayRestored } from "../core/session";
import { FormError } from "../screens/door";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { toastError } from "../ui/toasts";
import { useJob, type Job, type Jobs } from "./job";
import { Review } from "./review";
import { t } from "./words";

export { Export } from "./export";
export { Import } from "./import";

export interface RestoreProps {
  /** The backup that is to be restored; null for none, unless a restore is under way. */
  backup: { name: string; madeAt: string } | null;
  onClose: () => void;
}

export default function Restore({ backup, onClose }: RestoreProps) {
  const { state, look, begin } = useJob(sayRestored);
  const name = backup?.name;
  useEffect(() => {
    if (!name) return;
    const read = async () => {
      if (!(await look())?.job?.running) await begin("/transfer/look", { backup: name });
    };
    read().catch((error: unknown) => {
      toastError(error);
      onClose();
    });
  }, [name]);
  const job = state?.job;
  const shown = job && (job.running || job.file === name);
  if (!name && !(job?.running && job.kind === "restore")) return null;
  const title = t("restore.title", { when: backup ? formatDateTime(backup.madeAt) : (job?.file ?? "") });
  return (
    <Dialog open stays={job?.running} size="medium" title={title} onClose={onClose}>
      {shown && <Shown job={job} site={state.site} jobs={{ look, begin }} onClose={onClose} />}
    </Dialog>
  );
}

function Shown({ job, site, jobs, onClose }: { job: Job; site: string; jobs: Pick<Jobs, "look" | "begin">; onClose: () => void }) {
  if (job.running) return <Progress job={job} look={jobs.look} />;
  if (job.problem) {
    return (
      <div class="form">
        <FormError text={[t(`problem.${job.problem}`), job.detail].filter(Boolean).join(" ")} />
        <Button onClick={onClose}>{t("restore.close")}</Button>
      </div>
    );
  }
  return job.plan && <Review plan={job.plan} file={job.file} site={site} begin={jobs.begin} />;
}

const phases = { read: "restore.reading", write: "restore.reading", save: "restore.saving", switch: "restore.switching", done: "restore.switching" } as const;

function Progress({ job, look }: { job: Job; look: () => Promise<unknown> }) {
  const stop = async () => {
    await request("DELETE", "/transfer");
    await look();
  };
  return (
    <div class="form">
      <p role="status">{t(phases[job.phase])}</p>
      <progress class="transfer-progress" aria-label={t(job.kind === "look" ? "restore.look" : "restore.progress")} />
      <p class="quiet-text">{t("restore.by", { who: job.by, when: formatAgo(job.startedAt) })}</p>
      {(job.phase === "read" || job.phase === "save") && <Button onClick={() => void stop().catch(toastError)}>{t("restore.stop")}</Button>}
    </div>
  );
}
