// Changes that wait for a person: what they would do, side by side, and the decision; and
// taking back what an author has done.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { Link, match, navigate, place, useTitle } from "../core/router";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { toast, toastError } from "../ui/toasts";
import { Effects, type Effect } from "./effects";
import { Past } from "./past";
import { Undo } from "./undo";
import { t } from "./words";

interface ChangeSet {
  readonly id: string;
  readonly title: string;
  readonly by: { readonly kind: string; readonly name?: string } | null;
  readonly createdAt: string;
  readonly state: "waiting" | "approved" | "rejected" | "expired";
  readonly count: number;
  readonly decidedAt: string | null;
  readonly decidedBy: { readonly name?: string } | null;
  readonly effects?: readonly Effect[];
  readonly problem?: { readonly step: number; readonly message: string };
}

export default function Page() {
  const path = place.value.path;
  if (path === "/changes/undo") return <Undo />;
  if (path === "/changes/past") return <Past />;
  const one = match("/changes/:id", path);
  return one?.id ? <One key={one.id} id={one.id} /> : <List />;
}

function List() {
  useTitle(t("title"));
  const list = useSignal<readonly ChangeSet[] | null>(null);
  useEffect(() => {
    request<ChangeSet[]>("GET", "/changes").then(({ data }) => (list.value = data), toastError);
  }, []);
  const waiting = list.value?.filter(({ state }) => state === "waiting") ?? [];
  const decided = list.value?.filter(({ state }) => state !== "waiting") ?? [];
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{t("title")}</h1>
      </header>
      <p class="quiet-text">{t("text")}</p>
      <p>
        <Link to="/changes/past">{t("past")}</Link>
      </p>
      {list.value && waiting.length === 0 && (
        <Empty icon="check" title={t("none")}>
          {t("none-text")}
        </Empty>
      )}
      {waiting.length > 0 && <Lines title={t("waiting")} of={waiting} />}
      {decided.length > 0 && <Lines title={t("decided")} of={decided} />}
    </div>
  );
}

function Lines({ title, of }: { title: string; of: readonly ChangeSet[] }) {
  return (
    <section class="section-part">
      <h2>{title}</h2>
      <ul class="change-sets">
        {of.map((set) => (
          <li key={set.id}>
            <Link class="truncate" to={`/changes/${set.id}`}>
              {set.title || t("untitled")}
            </Link>
            <span class="quiet-text">{t("count", { n: set.count })}</span>
            <span class="quiet-text">{t(`state-${set.state}`)}</span>
            <time class="quiet-text truncate" dateTime={set.createdAt} data-tip={formatDateTime(set.createdAt)}>
              {byAndWhen(set)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  );
}

const byAndWhen = ({ by, createdAt }: ChangeSet): string => t("by-when", { name: by?.name ?? by?.kind ?? "", when: formatAgo(createdAt) });

function One({ id }: { id: string }) {
  const set = useSignal<ChangeSet | null>(null);
  const busy = useSignal(false);
  useTitle(set.value?.title || t("title"));
  const load = async () => {
    try {
      set.value = (await request<ChangeSet>("GET", `/changes/${id}`)).data;
    } catch (error) {
      toastError(error);
      await navigate("/changes", { replace: true });
    }
  };
  useEffect(() => void load(), []);
  const decide = async (decision: "approve" | "reject") => {
    busy.value = true;
    try {
      await request("POST", `/changes/${id}/${decision}`);
      toast({ kind: "done", text: t(decision === "approve" ? "approved" : "rejected") });
      await navigate("/changes");
    } catch (error) {
      toastError(error);
      await load();
    } finally {
      busy.value = false;
    }
  };
  const shown = set.value;
  if (!shown) return null;
  return (
    <div class="page section-page">
      <p>
        <Link to="/changes">{t("back")}</Link>
      </p>
      <header class="section-head">
        <h1>{shown.title || t("untitled")}</h1>
      </header>
      <p class="quiet-text">
        {byAndWhen(shown)} · {t("count", { n: shown.count })} · {t(`state-${shown.state}`)}
        {shown.decidedAt && ` (${t("by-when", { name: shown.decidedBy?.name ?? "", when: formatAgo(shown.decidedAt) })})`}
      </p>
      {shown.problem && (
        <p class="notice" role="alert">
          {t("problem", { n: shown.problem.step + 1, reason: shown.problem.message })}
        </p>
      )}
      {shown.effects && !shown.problem && <Effects of={shown.effects} />}
      {shown.state === "waiting" && (
        <div class="change-set-actions">
          <Button variant="primary" icon="check" busy={busy.value} disabled={shown.problem !== undefined} onClick={() => void decide("approve")}>
            {t("approve")}
          </Button>
          <Button variant="danger" disabled={busy.value} onClick={() => void decide("reject")}>
            {t("reject")}
          </Button>
        </div>
      )}
    </div>
  );
}
