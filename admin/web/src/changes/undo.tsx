// Taking back what one author has changed since a moment, or what all have changed in a time, perhaps
// of one document: first what that would do.

import { useSignal } from "@preact/signals";
import { request } from "../core/api";
import { formatDateTime } from "../core/i18n";
import { toLocal } from "../core/local-time";
import { Link, navigate, place, useTitle } from "../core/router";
import { documentPath, typeOf } from "../core/schema";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { Effects, type Effect } from "./effects";
import { dayAgo } from "./period";
import { t } from "./words";

interface Plan {
  readonly since: string;
  readonly count: number;
  readonly effects: readonly Effect[];
  readonly left: readonly { readonly type: string; readonly documentId: string }[];
}

export function Undo() {
  useTitle(t("undo"));
  const { query } = place.value;
  const by = query.get("by") ?? "";
  const all = by === "*";
  const until = query.get("until") ?? "";
  const name = query.get("name");
  const since = useSignal(toLocal(query.get("since") ?? "") || dayAgo());
  const plan = useSignal<Plan | null>(null);
  const busy = useSignal(false);
  const work = async (run: () => Promise<void>) => {
    busy.value = true;
    await run().catch(toastError);
    busy.value = false;
  };
  const moment = () => new Date(since.value).toISOString();
  const asked = () => {
    const given = { until, type: query.get("type") ?? "", documentId: query.get("documentId") ?? "" };
    return { by, since: moment(), ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")) };
  };
  const show = () =>
    work(async () => {
      plan.value = (await request<Plan>("GET", "/undo", { query: asked() })).data;
    });
  const takeBack = () =>
    work(async () => {
      const { data } = await request<Plan>("POST", "/undo", { body: asked() });
      toast({ kind: "done", text: t("undo-done", { n: data.effects.length }) });
      await navigate(all ? `/changes/past?${new URLSearchParams({ since: moment(), ...(until && { until }) }).toString()}` : "/");
    });
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{t("undo")}</h1>
      </header>
      <p class="quiet-text">{t(all ? "undo-text-all" : "undo-text")}</p>
      <p>
        {t(all && name ? "undo-of" : "undo-by")} <strong>{name || (all ? t("undo-everybody") : by)}</strong>
      </p>
      {until && <p>{t("undo-until", { when: formatDateTime(until) })}</p>}
      <Field label={t("undo-since")}>
        {(wired) => (
          <TextInput
            {...wired}
            type="datetime-local"
            value={since.value}
            onInput={(text) => {
              since.value = text;
              plan.value = null;
            }}
          />
        )}
      </Field>
      <Button busy={busy.value && !plan.value} disabled={by === "" || since.value === ""} onClick={() => void show()}>
        {t("undo-show")}
      </Button>
      {plan.value && <Shown plan={plan.value} asked={moment()} />}
      {plan.value && plan.value.effects.length > 0 && (
        <div class="change-set-actions">
          <Button variant="danger" busy={busy.value} onClick={() => void takeBack()}>
            {t("undo-do")}
          </Button>
        </div>
      )}
    </div>
  );
}

function Shown({ plan, asked }: { plan: Plan; asked: string }) {
  return (
    <>
      {plan.since > asked && <p class="notice">{t("undo-from", { when: formatDateTime(plan.since) })}</p>}
      {plan.left.length > 0 && (
        <div class="notice">
          <p>{t("undo-left")}</p>
          <ul>
            {plan.left.map(({ type, documentId }) => (
              <li key={`${type} ${documentId}`}>
                <Link to={documentPath(type, documentId, null)}>{`${typeOf(type)?.displayName ?? type} ${documentId}`}</Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Effects of={plan.effects} />
    </>
  );
}
