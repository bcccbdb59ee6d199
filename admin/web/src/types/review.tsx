// What a change does, before it is carried out: the files, the documents, what is wrong.

import { useEffect, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { t as common } from "../core/i18n";
import { navigate, segment } from "../core/router";
import { loadSchema } from "../core/schema";
import { FormError } from "../screens/door";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Checkbox, Select } from "../ui/inputs";
import { toast } from "../ui/toasts";
import { changeOf, loadTypes, shownType, types, type Problem, type Values } from "./model";
import { t, type Key } from "./words";

interface Example {
  place: string;
  value?: string;
  becomes?: string;
  why?: string;
}

interface Plan {
  fingerprint: string;
  problems: Problem[];
  files: { path: string; from: string; state: string; lines: { op: string; text: string }[] }[];
  mentions: { place: string; was: string; becomes: string }[];
  effects: { kind: string; type: string; path?: string; detail?: string; documents: number; values: number; entries: number; examples?: Example[] }[];
  partial: boolean;
  blocked: string[];
}

export function Review({ onClose }: { onClose: () => void }) {
  const [options, setOptions] = useState<Values>({});
  const [plan, setPlan] = useState<Plan | null>(null);
  const [again, setAgain] = useState(0);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const fail = (wrong: unknown) => setError(wrong instanceof Error ? wrong.message : String(wrong));
  useEffect(() => {
    let current = true;
    setPlan(null);
    request<Plan>("POST", "/types/plan", { body: changeOf(types.value, options) }).then(({ data }) => current && setPlan(data), fail);
    return () => void (current = false);
  }, [options, again]);
  const apply = async () => {
    setBusy(true);
    setError("");
    try {
      const { data } = await request<{ backup: string }>("POST", "/types/apply", { body: { change: changeOf(types.value, options), fingerprint: plan!.fingerprint } });
      const shown = shownType();
      await Promise.all([loadTypes(), loadSchema()]);
      const now = types.value.find((one) => one.kind === shown?.kind && one.name === shown.name);
      if (now && now.id !== shown?.id) await navigate(`/types/${segment(now.id)}`, { replace: true });
      toast({ kind: "done", text: t("applied", { file: data.backup }) });
      onClose();
    } catch (wrong) {
      fail(wrong);
      setBusy(false);
      if (wrong instanceof ApiError && wrong.status === 409) setAgain(again + 1);
    }
  };
  return (
    <Dialog
      open
      size="large"
      stays={busy}
      title={t("review")}
      onClose={onClose}
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            {common("cancel")}
          </Button>
          <Button variant="primary" busy={busy} disabled={!plan?.fingerprint} onClick={() => void apply()}>
            {t("apply")}
          </Button>
        </>
      }
    >
      <FormError text={error} />
      <p role="status" class="quiet-text">
        {busy ? t("applying") : plan ? t(plan.problems.length > 0 ? "review.wrong" : "review.text") : error ? "" : t("planning")}
      </p>
      {plan && (
        <>
          {plan.problems.length > 0 && (
            <ul class="types-problems">
              {plan.problems.map((one, i) => (
                <li key={i}>
                  <code>{[one.uid || one.file, one.attribute, one.key].filter(Boolean).join(" ")}</code> {one.message}
                  <span class="quiet-text"> {one.fix}</span>
                </li>
              ))}
            </ul>
          )}
          <Effects plan={plan} />
          {plan.blocked.includes("clashing") && (
            <Field label={t("keep")}>
              {(wired) => <Select {...wired} value="" onInput={(keep) => setOptions({ ...options, keep })} options={[{ value: "", label: t("choose") }, { value: "old", label: t("keep.old") }, { value: "new", label: t("keep.new") }]} />}
            </Field>
          )}
          {(options.lossy === true || plan.blocked.some((kind) => kind !== "clashing" && kind !== "settings")) && (
            <Checkbox checked={options.lossy === true} onInput={(lossy) => setOptions({ ...options, lossy })}>
              {t("lossy")}
            </Checkbox>
          )}
          {(options.dropSettings === true || plan.blocked.includes("settings")) && (
            <>
              <h3>{t("settings")}</h3>
              <ul class="types-effects">
                {plan.mentions
                  .filter((one) => one.becomes === "")
                  .map((one, i) => (
                    <li key={i} class={plan.blocked.includes("settings") ? "blocked" : ""}>
                      <code>{one.place}</code> {one.was}
                    </li>
                  ))}
              </ul>
              <Checkbox checked={options.dropSettings === true} onInput={(dropSettings) => setOptions({ ...options, dropSettings })}>
                {t("settings.drop")}
              </Checkbox>
            </>
          )}
          {plan.files.length > 0 && <h3>{t("files")}</h3>}
          {plan.files.map((file) => (
            <details key={file.path} class="types-file">
              <summary>
                <code>{file.path}</code> <span class="quiet-text">{t(`file.${file.state}` as Key)}</span>
              </summary>
              <pre tabIndex={0} aria-label={file.path}>
                {file.lines.map((line) => `${line.op} ${line.text}`).join("\n")}
              </pre>
            </details>
          ))}
        </>
      )}
    </Dialog>
  );
}

function Effects({ plan }: { plan: Plan }) {
  if (plan.problems.length > 0) return null;
  return (
    <>
      <h3>{t("documents")}</h3>
      {plan.effects.length === 0 && <p>{t("documents.none")}</p>}
      <ul class="types-effects">
        {plan.effects.map((one, i) => (
          <li key={i} class={plan.blocked.includes(one.kind) ? "blocked" : ""}>
            <code>{[one.type, one.path].filter(Boolean).join(" ")}</code> {t(`effect.${one.kind}` as Key, { documents: one.documents })} {one.detail && <span class="quiet-text">({one.detail})</span>}
            {one.examples && one.examples.length > 0 && (
              <ul>
                {one.examples.map((x, k) => (
                  <li key={k} class="quiet-text">
                    {x.place} {x.value} {x.becomes && `→ ${x.becomes}`} {x.why}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      {plan.partial && <p class="notice">{t("partial")}</p>}
    </>
  );
}
