// One release: what is in it, what would keep it from being published, and its time.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../core/api";
import { formatDateTime, t as common } from "../core/i18n";
import { Link, navigate, useTitle } from "../core/router";
import { may, typeOf } from "../core/schema";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Menu } from "../ui/menu";
import { toast, toastError } from "../ui/toasts";
import { NameDialog, TimeDialog } from "./dialogs";
import { changeRelease, changeSteps, checkRelease, deleteRelease, publishRelease, readRelease, readSubjects, type Failure, type Release, type Step, type Subject } from "./release";
import { StateBadge, whenOf } from "./state";
import { Steps } from "./steps";
import { sameDocument } from "./with-step";
import { t } from "./words";

type Failures = ReadonlyMap<number, Failure>;

export function One({ id }: { id: string }) {
  const shown = useSignal<Release | null>(null);
  const subjects = useSignal<ReadonlyMap<string, Subject>>(new Map());
  const failures = useSignal<Failures | null>(null);
  const missing = useSignal(false);
  const load = async () => {
    try {
      const release = await readRelease(id);
      shown.value = release;
      const [found, failing] = await Promise.all([readSubjects(release.steps ?? []), release.state === "done" || !mayDo(release) ? null : checkRelease(id).catch(() => null)]);
      subjects.value = found;
      failures.value = failing;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) missing.value = true;
      else toastError(error);
    }
  };
  useEffect(() => void load(), []);
  useTimeOf(shown.value, load);
  useTitle(shown.value?.name ?? t("title"));
  if (missing.value) {
    return (
      <Empty page icon="search" title={t("missing")} action={<Link to="/releases">{t("back")}</Link>}>
        {t("missing-text")}
      </Empty>
    );
  }
  const release = shown.value;
  if (!release) return null;
  const change = async (step: Step, to: Step | null) => {
    const changed = (steps: readonly Step[]) => steps.flatMap((one) => (sameDocument(one, step) && String(one.locales) === String(step.locales) ? (to ?? []) : one));
    await changeSteps(id, changed).catch(toastError);
    await load();
  };
  return (
    <div class="page section-page">
      <p>
        <Link to="/releases">{t("back")}</Link>
      </p>
      <header class="section-head release-head">
        <h1 dir="auto">{release.name}</h1>
        {release.state !== "done" && <Actions release={release} failing={failures.value?.size ?? 0} load={load} />}
      </header>
      <Summary release={release} failures={failures.value} />
      {(release.steps ?? []).length === 0 && !release.hiddenSteps ? (
        <Empty icon="documents" title={t("empty")}>
          {t("empty-text")}
        </Empty>
      ) : (
        <Steps release={release} subjects={subjects.value} failures={failures.value} onChange={change} />
      )}
      {Boolean(release.hiddenSteps) && <p class="quiet-text">{t("hidden", { n: release.hiddenSteps ?? 0 })}</p>}
    </div>
  );
}

/** Looks again when the time of a release has come, and when the page is looked at again. */
function useTimeOf(release: Release | null, load: () => Promise<void>) {
  const at = release?.state === "scheduled" ? Date.parse(release.retryAt ?? release.at ?? "") : NaN;
  useEffect(() => {
    const back = () => document.hidden || void load();
    document.addEventListener("visibilitychange", back);
    const left = at - Date.now();
    const timer = left < 86_400_000 ? setInterval(() => Date.now() > at && void load(), Math.max(1000, Math.min(left, 10_000))) : undefined;
    return () => {
      document.removeEventListener("visibilitychange", back);
      clearInterval(timer);
    };
  }, [at]);
}

/** Whether the account may do all that is in a release. */
function mayDo({ steps, hiddenSteps }: Release): boolean {
  return !hiddenSteps && (steps ?? []).every(({ type: uid, action }) => {
    const type = typeOf(uid);
    return type !== undefined && may(type, action);
  });
}

/** The state of a release, and what would happen if it were published now. */
function Summary({ release, failures }: { release: Release; failures: Failures | null }) {
  const { state, stepCount } = release;
  const failing = failures?.size ?? 0;
  return (
    <div class="release-summary" role="status">
      <p>
        <StateBadge state={state} /> <span class="quiet-text">{summaryOf(release)}</span>
      </p>
      {state !== "done" && stepCount > 0 && !mayDo(release) && <p class="notice">{t("may-not")}</p>}
      {failing > 0 && <p class="notice">{t("would-fail", { n: failing })}</p>}
      {failures && failing === 0 && stepCount > 0 && <p class="release-ready">{t("ready")}</p>}
    </div>
  );
}

function summaryOf(release: Release): string {
  const { state, stepCount } = release;
  const n = t("count", { n: stepCount });
  if (state === "planned") return n;
  return `${n} · ${t(`at-${state}`, { when: whenOf(release) })}`;
}

function Actions({ release, failing, load }: { release: Release; failing: number; load: () => Promise<void> }) {
  const dialog = useSignal<"name" | "time" | null>(null);
  const busy = useSignal(false);
  const { id, name, stepCount, at, state } = release;
  const reason = stepCount === 0 ? t("empty") : mayDo(release) ? (failing > 0 ? t("would-fail", { n: failing }) : undefined) : t("may-not");
  const publish = async () => {
    if (!(await confirm({ title: t("publish-title", { name }), body: t("publish-text", { n: stepCount }), action: t("publish") }))) return;
    busy.value = true;
    try {
      await publishRelease(id);
      toast({ kind: "done", text: t("published", { name }) });
    } catch (error) {
      toastError(error);
    }
    busy.value = false;
    await load();
  };
  const change = async (changes: { name?: string; at?: string | null }) => {
    await changeRelease(id, changes);
    dialog.value = null;
    await load();
  };
  const unschedule = async () => {
    await change({ at: null }).catch(toastError);
    toast({ text: t("unscheduled", { name }), ...(at && Date.parse(at) > Date.now() && { action: { label: common("undo"), run: () => void change({ at }).catch(toastError) } }) });
  };
  const remove = async () => {
    if (!(await confirm({ title: t("delete-title", { name }), body: t("delete-text"), action: common("delete"), danger: true }))) return;
    try {
      await deleteRelease(id);
      toast({ kind: "done", text: t("deleted", { name }) });
      await navigate("/releases");
    } catch (error) {
      toastError(error);
      await load();
    }
  };
  const items = [
    { label: t("rename"), icon: "edit" as const, onSelect: () => void (dialog.value = "name") },
    ...(state === "scheduled" ? [{ label: t("unschedule"), icon: "undo" as const, onSelect: () => void unschedule() }] : []),
    "line" as const,
    { label: common("delete"), icon: "trash" as const, danger: true, onSelect: () => void remove() },
  ];
  const disabled = { "aria-disabled": reason ? (true as const) : undefined, "aria-description": reason, "data-tip": reason };
  return (
    <div class="section-actions">
      <Button icon="clock" {...disabled} onClick={reason ? undefined : () => void (dialog.value = "time")}>
        {state === "scheduled" ? t("reschedule") : t("schedule")}
      </Button>
      <Button variant="primary" icon="publish" busy={busy.value} {...disabled} onClick={reason ? undefined : () => void publish()}>
        {t("publish")}
      </Button>
      <Menu label={common("more")} icon="more" iconOnly align="end" items={items} />
      {dialog.value === "name" && <NameDialog title={t("rename")} action={common("save")} name={name} send={(to) => change({ name: to })} onClose={() => (dialog.value = null)} />}
      {dialog.value === "time" && (
        <TimeDialog
          at={state === "scheduled" ? at : null}
          send={async (to) => {
            await change({ at: to });
            toast({ kind: "done", text: t("scheduled", { name, when: formatDateTime(to) }) });
          }}
          onClose={() => (dialog.value = null)}
        />
      )}
    </div>
  );
}
