// What an import would do, with what is in its way, and the second look.

import { formatNumber } from "../core/i18n";
import { Icon } from "../ui/icon";
import type { ImportPlan, Job, Jobs } from "./job";
import { Line, SecondLook } from "./review";
import { t } from "./words";

export function ImportReview({ plan, job, site, begin }: { plan: ImportPlan; job: Job; site: string; begin: Jobs["begin"] }) {
  if (plan.problems.length > 0) {
    return (
      <div class="transfer-form" role="status">
        <List title={t("import.problems")} items={plan.more ? [...plan.problems, t("import.more")] : plan.problems} />
      </div>
    );
  }
  const replaces = job.form === "lines" ? t("import.replaces-lines") : t("import.replaces");
  return (
    <div class="transfer-form">
      {plan.taken.length === 0 && <p>{t("import.nothing")}</p>}
      <Changes plan={plan} />
      <List title={t("import.left")} items={plan.left.map(({ what, n, why }) => t("import.omission", { n: formatNumber(n), what, why }))} />
      <List title={t("import.skips", { n: plan.skips })} items={plan.skipped} />
      {plan.existing === "replace" && (
        <p class="notice warning transfer-notice">
          <Icon name="warning" />
          <span>{replaces}</span>
        </p>
      )}
      <SecondLook site={site} action={t("import.action")} text={t("import.ends")} done={(typed, proof) => begin("/transfer/import", { planned: job.startedAt, site: typed, ...proof })} />
    </div>
  );
}

function Changes({ plan }: { plan: ImportPlan }) {
  return (
    <table class="transfer-table">
      <caption class="visually-hidden">{t("import.table")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("restore.what")}</th>
          <th scope="col">{t("restore.now")}</th>
          <th scope="col">{t("import.then")}</th>
        </tr>
      </thead>
      <tbody>
        {plan.types.map((one) => (
          <Line key={one.uid} name={one.name} of={one} />
        ))}
      </tbody>
    </table>
  );
}

function List({ title, items }: { title: string; items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="transfer-list">
        {items.map((text, i) => (
          <li key={i}>{text}</li>
        ))}
      </ul>
    </>
  );
}
