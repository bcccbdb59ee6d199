// Taking back what one author has changed since a moment: first what that would do.

import { useSignal } from "@preact/signals";
import { request } from "../core/api";
import { formatDateTime } from "../core/i18n";
import { Link, navigate, place, useTitle } from "../core/router";
import { documentPath, typeOf } from "../core/schema";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { Effects, type Effect } from "./effects";
import { t } from "./words";

interface Plan {
  readonly since: string;
  readonly count: number;
  readonly effects: readonly Effect[];
  readonly left: readonly { readonly type: string; readonly documentId: string }[];
}

/** A day ago, as the input of a time has it. */
function dayAgo(): string {
  const now = new Date(Date.now() - 86_400_000);
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function Undo() {
  useTitle(t("undo"));
  const by = place.value.query.get("by") ?? "";
  const since = useSignal(dayAgo());
  const plan = useSignal<Plan | null>(null);
  const busy = useSignal(false);
  const work = async (run: () => Promise<void>) => {
    busy.value = true;
    await run().catch(toastError);
    busy.value = false;
  };
  const moment = () => new Date(since.value).toISOString();
  const show = () =>
    work(async () => {
      plan.value = (await request<Plan>("GET", "/undo", { query: { by, since: moment() } })).data;
    });
  const takeBack = () =>
    work(async () => {
      const { data } = await request<Plan>("POST", "/undo", { body: { by, since: moment() } });
      toast({ kind: "done", text: t("undo-done", { n: data.effects.length }) });
      await navigate("/");
    });
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{t("undo")}</h1>
      </header>
      <p class="quiet-text">{t("undo-text")}</p>
      <p>
        {t("undo-by")} <strong>{place.value.query.get("name") || by}</strong>
      </p>
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
