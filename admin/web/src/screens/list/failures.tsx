// What could not be done, and why, entry by entry.

import { t } from "../../core/i18n";
import { Link } from "../../core/router";
import { documentPath } from "../../core/schema";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import type { Job } from "./job";

export function Failures({ job, onClose }: { job: Job; onClose: () => void }) {
  const outcome = job.outcome.value;
  if (!outcome || (outcome.failed.length === 0 && outcome.reason === null)) return null;
  const { failed, done, left, reason } = outcome;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(`list.failed.${job.action}`, { n: failed.length + left.length })}
      footer={<Button onClick={onClose}>{t("close")}</Button>}
    >
      {done.length > 0 && <p class="quiet-text">{t(`list.done.${job.action}`, { n: done.length })}</p>}
      {reason !== null && <p class="list-failed-reason">{t("list.given-up", { n: left.length, reason })}</p>}
      <ul class="list-failures">
        {failed.slice(0, 200).map(({ target, reason: why }) => (
          <li key={target.documentId}>
            <Link to={documentPath(job.list.type.uid, target.documentId, job.list.locale)} onClick={onClose}>
              {target.title || t("list.untitled")}
            </Link>
            <p>{why}</p>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
