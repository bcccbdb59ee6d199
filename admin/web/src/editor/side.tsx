// The side of the editor: what is known of the document beside its content.

import { copyText } from "../core/clipboard";
import { formatAgo, formatDateTime, t } from "../core/i18n";
import { schema } from "../core/schema";
import { Link } from "../core/router";
import { IconButton } from "../ui/button";
import { Icon } from "../ui/icon";
import { lazy } from "../ui/lazy";
import { StatusBadge } from "../ui/status";
import { toast } from "../ui/toasts";
import { useSheet } from "./context";
import { entryOf } from "./opening";
import { pathOf } from "./actions";
import { LinkedFrom, LinksFrom } from "./links";
import { Locales } from "./locales/side";
import { Schedules } from "./schedule";

const { Lazy: Review } = lazy(() => import("../review/side"), true);

export function Side() {
  const { editing } = useSheet();
  return (
    <aside class="editor-side" aria-label={t("side.label")}>
      <State />
      {editing.exists && <Review />}
      {editing.type.localized && <Locales />}
      {editing.exists && <Schedules />}
      {editing.exists && <LinkedFrom />}
      {editing.exists && <LinksFrom />}
      {editing.exists && <Facts />}
    </aside>
  );
}

function State() {
  const { editing } = useSheet();
  const { type } = editing;
  const state = editing.state.value;
  const planned = editing.loaded.value?.schedules.find((s) => s.state === "scheduled");
  const path = pathOf(editing, editing.documentId.value ?? "");
  const [base, query] = path.split("?");
  return (
    <section class="side-section" aria-labelledby="side-status">
      <h2 id="side-status">{t("side.status")}</h2>
      {type.draftAndPublish ? (
        <p class="side-status">
          <StatusBadge status={editing.status.value} />
          {planned && <StatusBadge status="scheduled" />}
        </p>
      ) : (
        <p class="quiet-text">{t("side.no-drafts")}</p>
      )}
      <p class="quiet-text">{editing.exists ? t(`side.${editing.status.value}`) : t("side.new")}</p>
      {state?.publishedAt && <p class="quiet-text">{t("side.published-at", { at: formatDateTime(state.publishedAt) })}</p>}
      {editing.exists && schema.value?.history && (
        <Link class="side-link" to={`${base}/history${query ? `?${query}` : ""}`}>
          <Icon name="history" />
          {t("side.history")}
        </Link>
      )}
    </section>
  );
}

/** Who and when, and what programs call it. */
function Facts() {
  const { editing } = useSheet();
  const loaded = editing.loaded.value;
  const entry = entryOf(loaded);
  const documentId = String(entry?.["documentId"] ?? "");
  const copy = () => void copyText(documentId).then(() => toast({ text: t("side.copied") }));
  return (
    <section class="side-section" aria-labelledby="side-facts">
      <h2 id="side-facts">{t("side.facts")}</h2>
      <dl class="facts">
        <Moment label={t("side.updated")} at={entry?.["updatedAt"]} by={loaded?.updatedBy?.name} />
        <Moment label={t("side.created")} at={entry?.["createdAt"]} by={loaded?.createdBy?.name} />
        <dt>{t("side.id")}</dt>
        <dd class="side-id">
          <code class="mono truncate">{documentId}</code>
          <IconButton small icon="copy" label={t("side.copy-id")} onClick={copy} />
        </dd>
      </dl>
    </section>
  );
}

function Moment({ label, at, by }: { label: string; at: unknown; by: string | undefined }) {
  if (typeof at !== "string") return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <time dateTime={at} data-tip={formatDateTime(at)}>
          {formatAgo(at)}
        </time>
        {by && ` · ${by}`}
      </dd>
    </>
  );
}
