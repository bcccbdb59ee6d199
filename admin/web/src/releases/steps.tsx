// The documents of a release: what is done to each, and what keeps it from being done.

import { formatLocale, t as common } from "../core/i18n";
import { Link } from "../core/router";
import { documentPath, schema, typeOf } from "../core/schema";
import { SectionTable } from "../screens/section";
import { IconButton } from "../ui/button";
import { Icon } from "../ui/icon";
import { Select } from "../ui/inputs";
import { StatusBadge } from "../ui/status";
import { localesOf, subjectKey, type Failure, type Release, type Step, type Subject } from "./release";
import { t } from "./words";

interface StepsProps {
  release: Release;
  subjects: ReadonlyMap<string, Subject>;
  /** What would fail now, by the number of the step; null if it is not known. */
  failures: ReadonlyMap<number, Failure> | null;
  /** Changes a step, or removes it for null. */
  onChange: (step: Step, to: Step | null) => Promise<void>;
}

export function Steps({ release, subjects, failures, onChange }: StepsProps) {
  const open = release.state !== "done";
  const columns = [t("document"), t("type"), t(open ? "does" : "did"), t("now")];
  return (
    <SectionTable columns={columns} shownOnly={!open} class="release-steps">
      {(release.steps ?? []).map((step, i) => (
        <StepRow key={`${subjectKey(step)} ${String(step.locales)}`} step={step} subject={subjects.get(subjectKey(step))} failure={failures ? failures.get(i) : step.failure} open={open} onChange={onChange} />
      ))}
    </SectionTable>
  );
}

interface StepRowProps {
  step: Step;
  subject: Subject | undefined;
  failure: Failure | undefined;
  open: boolean;
  onChange: StepsProps["onChange"];
}

function StepRow({ step, subject, failure, open, onChange }: StepRowProps) {
  const type = typeOf(step.type);
  const name = subject?.title || (subject ? common("list.untitled") : t("gone"));
  const locale = step.locales?.find((code) => code !== "*");
  const path = documentPath(step.type, step.documentId ?? "", locale);
  const [base, query] = path.split("?");
  return (
    <tr class={failure ? "failing" : undefined}>
      <th scope="row">
        {subject ? (
          <Link class="release-link" dir="auto" to={path}>
            {name}
          </Link>
        ) : (
          <span class="quiet-text">{name}</span>
        )}
        {failure && <Reason of={failure} type={step.type} />}
      </th>
      <td data-label={t("type")}>{[type?.displayName ?? step.type, whereOf(step)].filter(Boolean).join(" · ")}</td>
      <td data-label={t(open ? "does" : "did")}>
        {open ? (
          <Select
            class="release-action"
            aria-label={t("does-to", { name })}
            value={step.action}
            onInput={(action) => void onChange(step, { ...step, action: action === "unpublish" ? action : "publish" })}
            options={(["publish", "unpublish"] as const).map((value) => ({ value, label: common(`editor.${value}`) }))}
          />
        ) : (
          t(`done-${step.action}`)
        )}
      </td>
      <td data-label={t("now")}>
        {subject?.status ? <StatusBadge status={subject.status} /> : "–"}
        {!open && subject && schema.value?.history && (
          <Link class="release-history" to={`${base}/history${query ? `?${query}` : ""}`}>
            {common("side.history")}
          </Link>
        )}
      </td>
      {open && (
        <td class="actions">
          <IconButton small icon="close" label={t("remove", { name })} onClick={() => void onChange(step, null)} />
        </td>
      )}
    </tr>
  );
}

/** The locales of a step, where the site has several. */
function whereOf(step: Step): string {
  const locales = localesOf(step);
  if (locales.includes("*")) return t("all-locales");
  return (schema.value?.locales.length ?? 0) > 1 ? locales.map(formatLocale).join(", ") : "";
}

/** Whether the server says that a value is missing. */
const isMissing = (message: string): boolean => /`null`|required|must be defined/.test(message);

/** Why a step cannot be done, naming the attributes as the form does. */
function Reason({ of: { reason, problems = [] }, type: uid }: { of: Failure; type: string }) {
  const labelOf = (name: string | undefined) => typeOf(uid)?.attributes.find((attribute) => attribute.name === name)?.label ?? name;
  return (
    <div class="release-reason">
      <Icon name="error" size={14} />
      {problems.length === 0 ? (
        <span>{reason}</span>
      ) : (
        <ul>
          {problems.map(({ path, message }) => (
            <li key={path.join(".")}>{`${labelOf(path[0]) ?? ""}: ${isMissing(message) ? common("rule.required") : message}`}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
