// What can be done to the selected entries: while some are selected, at the foot of the
// list.

import { useSignal } from "@preact/signals";
import { formatNumber, t } from "../../core/i18n";
import { may, schema } from "../../core/schema";
import { Button, IconButton } from "../../ui/button";
import { lazy } from "../../ui/lazy";
import { toastError } from "../../ui/toasts";
import { DeleteDialog } from "./delete-dialog";
import { Job } from "./job";
import { mostAtOnce, type Action } from "./bulk";
import { narrow } from "./density";
import type { List } from "./model";
import { Failures } from "./failures";

const icons = { publish: "publish", unpublish: "eye-off", duplicate: "duplicate", delete: "trash" } as const;

const { Lazy: AddToRelease } = lazy(() => import("../../releases/add"));

/** Most documents that a release has. */
const mostInRelease = 1000;

export function BulkBar({ list }: { list: List }) {
  const job = useSignal<Job | null>(null);
  const asking = useSignal(false);
  const released = useSignal<readonly string[] | null>(null);
  const n = list.size.value;
  const start = (action: Action, locale: string | null) => {
    const started = new Job(list, action, locale);
    job.value = started;
    void started.run();
  };
  const release = () => void list.targets(mostInRelease).then((targets) => (released.value = targets.map(({ documentId }) => documentId)), toastError);
  const running = job.value?.running.value ? job.value : null;
  return (
    <>
      {(n > 0 || running) && (
        <div class="list-bulk" role="region" aria-label={t("list.selection")}>
          {running ? (
            <Progress job={running} />
          ) : (
            <Actions list={list} n={n} start={(action) => (action === "delete" ? (asking.value = true) : start(action, list.locale))} release={release} />
          )}
        </div>
      )}
      {released.value && (
        <AddToRelease type={list.type} documentIds={released.value} locale={list.locale} onClose={() => (released.value = null)} onAdded={() => list.clear()} />
      )}
      {asking.value && (
        <DeleteDialog
          list={list}
          onClose={() => (asking.value = false)}
          onDelete={(locale) => {
            asking.value = false;
            start("delete", locale);
          }}
        />
      )}
      {job.value && <Failures job={job.value} onClose={() => (job.value = null)} />}
    </>
  );
}

function Actions({ list, n, start, release }: { list: List; n: number; start: (action: Action) => void; release: () => void }) {
  const { type } = list;
  const offered: Action[] = [];
  if (type.draftAndPublish && may(type, "publish")) offered.push("publish");
  if (type.draftAndPublish && may(type, "unpublish")) offered.push("unpublish");
  if (may(type, "create")) offered.push("duplicate");
  if (may(type, "delete")) offered.push("delete");
  const tooMany = n > mostAtOnce;
  return (
    <>
      <span class="list-bulk-count numeric">{t("list.selected", { n })}</span>
      {tooMany && <span class="quiet-text">{t("list.too-many", { most: formatNumber(mostAtOnce) })}</span>}
      {offered.map((action) => {
        const shared = {
          icon: icons[action],
          disabled: tooMany,
          class: action === "delete" ? "list-delete" : undefined,
          onClick: () => start(action),
        };
        if (narrow.value) return <IconButton key={action} label={t(`list.action.${action}`)} {...shared} />;
        return (
          <Button key={action} small variant="quiet" {...shared}>
            {t(`list.action.${action}`)}
          </Button>
        );
      })}
      {type.draftAndPublish && schema.value?.releases && <ReleaseButton disabled={n > mostInRelease} onClick={release} />}
      <IconButton small icon="close" label={t("list.clear-selection")} keys="Esc" onClick={() => list.clear()} />
    </>
  );
}

function ReleaseButton(shared: { disabled: boolean; onClick: () => void }) {
  if (narrow.value) return <IconButton icon="calendar" label={t("release.add")} {...shared} />;
  return (
    <Button small variant="quiet" icon="calendar" {...shared}>
      {t("release.add")}
    </Button>
  );
}

function Progress({ job }: { job: Job }) {
  const { tried, of, action } = job;
  return (
    <>
      <label class="list-bulk-progress">
        <span class="numeric">
          {of.value === 0 ? t(`list.doing.${action}`) : t(`list.doing.${action}`) + " " + t("list.progress", { n: tried.value, of: of.value })}
        </span>
        <progress max={of.value || undefined} value={of.value ? tried.value : undefined} />
      </label>
      <Button small variant="quiet" onClick={() => job.stop()}>
        {t("list.stop")}
      </Button>
    </>
  );
}
