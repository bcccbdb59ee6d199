// Backups: those of the schedule and those made here, to be taken along.

import { useEffect, useState } from "preact/hooks";
import { apiBase, request } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { isOwner } from "../core/session";
import { SectionPart, SectionTable } from "../screens/section";
import { Button, IconButton } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Icon } from "../ui/icon";
import { lazy } from "../ui/lazy";
import type { RestoreProps } from "../transfer/page";
import { toast, toastError } from "../ui/toasts";
import { formatBytes, t } from "./words";

interface Backup {
  name: string;
  madeAt: string;
  bytes: number;
  scheduled: boolean;
}

interface Job {
  running: boolean;
  failed: boolean;
}

interface Shown {
  list: Backup[];
  job: Job | null;
  schedule: string;
  keep: number;
  /** In whose folder they are, where the site has several nodes; else empty. */
  node: string;
}

const { Lazy: Restore } = lazy<RestoreProps>(() => import("../transfer/page"));

/** How often the page looks whether a backup is done, in milliseconds. */
const again = 1000;

export function Backups() {
  const [shown, show] = useState<Shown | null>(null);
  const [chosen, choose] = useState<Backup | null>(null);
  const running = shown?.job?.running ?? false;

  const load = async () => {
    const { data, meta } = await request<Backup[]>("GET", "/backups");
    const next = { list: data, ...meta } as unknown as Shown;
    show(next);
    return next;
  };
  useEffect(() => void load().catch(toastError), []);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => void load().then(sayEnd, toastError), again);
    return () => clearInterval(timer);
  }, [running]);

  const make = async () => {
    await request("POST", "/backups");
    sayEnd(await load());
  };
  const remove = async (one: Backup) => {
    const when = formatDateTime(one.madeAt);
    const sure = await confirm({ title: t("backups.remove-title", { when }), body: t("backups.remove-text"), action: t("backups.remove"), danger: true });
    if (!sure) return;
    await request("DELETE", `/backups/${encodeURIComponent(one.name)}`);
    toast({ kind: "done", text: t("backups.removed", { when }) });
    await load();
  };
  if (!shown) return null;
  const text = shown.schedule ? t("backups.scheduled", { schedule: shown.schedule, keep: shown.keep }) : t("backups.unscheduled");
  const where = shown.node ? ` ${t("backups.node", { node: shown.node })}` : "";
  return (
    <SectionPart
      title={t("backups.title")}
      text={`${t("backups.text")} ${text}${where}`}
      actions={
        <Button variant="primary" icon="plus" busy={running} onClick={() => void make().catch(toastError)}>
          {running ? t("backups.making") : t("backups.make")}
        </Button>
      }
    >
      {shown.list.length === 0 ? (
        <Empty icon="lock" title={t("backups.none")}>
          {t("backups.none-text")}
        </Empty>
      ) : (
        <SectionTable columns={[t("backups.when"), t("backups.kind"), t("backups.size")]}>
          {shown.list.map((one) => (
            <BackupRow key={one.name} of={one} onRestore={() => choose(one)} onRemove={() => void remove(one).catch(toastError)} />
          ))}
        </SectionTable>
      )}
      <p class="quiet-text operation-note">{isOwner.value ? t("backups.restore") : t("backups.owners")}</p>
      {isOwner.value && <Restore backup={chosen} onClose={() => choose(null)} />}
    </SectionPart>
  );
}

/** Says that the backup was made, once it was. */
function sayEnd({ job }: Shown) {
  if (job?.running) return;
  if (job?.failed) toastError(new Error(t("backups.failed")));
  else toast({ kind: "done", text: t("backups.made") });
}

function BackupRow({ of: one, onRestore, onRemove }: { of: Backup; onRestore: () => void; onRemove: () => void }) {
  const when = formatDateTime(one.madeAt);
  return (
    <tr>
      <th scope="row">
        <time dateTime={one.madeAt}>{when}</time> <span class="quiet-text">{formatAgo(one.madeAt)}</span>
        <span class="quiet-text backup-name">{one.name}</span>
      </th>
      <td data-label={t("backups.kind")}>{one.scheduled ? t("backups.by-schedule") : t("backups.by-hand")}</td>
      <td data-label={t("backups.size")}>{formatBytes(one.bytes)}</td>
      <td class="actions">
        {isOwner.value && (
          <a class="icon-button" href={`${apiBase}/backups/${encodeURIComponent(one.name)}`} download={one.name} aria-label={t("backups.download", { when })} data-tip={t("backups.download-short")}>
            <Icon name="download" />
          </a>
        )}
        {isOwner.value && <IconButton icon="history" label={t("backups.restore-one", { when })} onClick={onRestore} />}
        {isOwner.value && !one.scheduled && <IconButton icon="trash" label={t("backups.remove-one", { when })} onClick={onRemove} />}
      </td>
    </tr>
  );
}
