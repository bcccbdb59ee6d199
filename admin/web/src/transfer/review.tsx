// The second look: what a restore would change, and the proof that it, or an import, is meant.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatDateTime, formatNumber } from "../core/i18n";
import { ProofForm, type Proof } from "../security/proof";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { TextInput } from "../ui/inputs";
import type { Jobs, NowAndThen, Plan } from "./job";
import { t } from "./words";

export function Review({ plan, file, site, begin }: { plan: Plan; file: string; site: string; begin: Jobs["begin"] }) {
  return (
    <>
      <p>{t("restore.made", { when: formatDateTime(plan.madeAt), program: plan.program })}</p>
      <Changes plan={plan} />
      <Warnings plan={plan} />
      <SecondLook site={site} action={t("restore.action")} text={t("restore.ends")} done={(typed, proof) => begin("/transfer/restore", { backup: file, site: typed, ...proof })} />
    </>
  );
}

interface SecondLookProps {
  site: string;
  action: string;
  /** What comes of it. */
  text: string;
  done: (site: string, proof: Proof) => Promise<void>;
}

export function SecondLook({ site, action, text, done }: SecondLookProps) {
  const [withCode, setWithCode] = useState(false);
  const [typed, setTyped] = useState("");
  const [wrong, setWrong] = useState(false);
  useEffect(() => void request<{ on: boolean }>("GET", "/session/second-factor").then(({ data }) => setWithCode(data.on)), []);
  const send = async (proof: Proof) => {
    const other = typed.trim().toLowerCase() !== site.trim().toLowerCase();
    setWrong(other);
    if (other) throw new Error(t("restore.site-wrong"));
    await done(typed, proof);
  };
  return (
    <ProofForm action={action} danger withCode={withCode} done={send}>
      <p>{text}</p>
      <Field label={t("restore.site", { site })} errors={wrong ? [t("restore.site-wrong")] : []}>
        {(wired) => <TextInput {...wired} autocomplete="off" spellcheck={false} value={typed} onInput={setTyped} />}
      </Field>
    </ProofForm>
  );
}

function Changes({ plan }: { plan: Plan }) {
  return (
    <table class="transfer-table">
      <caption class="visually-hidden">{t("restore.table")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("restore.what")}</th>
          <th scope="col">{t("restore.now")}</th>
          <th scope="col">{t("restore.then")}</th>
        </tr>
      </thead>
      <tbody>
        {plan.types.map((one) => (
          <Line key={one.uid} name={one.name} of={one} />
        ))}
        <Line name={t("restore.accounts")} of={plan.accounts} />
      </tbody>
    </table>
  );
}

export function Line({ name, of }: { name: string; of: NowAndThen }) {
  return (
    <tr class={of.now === of.then ? undefined : "differs"}>
      <th scope="row">{name}</th>
      <td>{formatNumber(of.now)}</td>
      <td>{formatNumber(of.then)}</td>
    </tr>
  );
}

/** What is lost, and what would not be as it was. */
function Warnings({ plan }: { plan: Plan }) {
  const lost = plan.changes === null ? t("restore.unknown") : plan.changes === 0 ? t("restore.no-changes") : t("restore.changes", { n: plan.changes });
  const said = [lost];
  if (!plan.sameSchemas) said.push(t("restore.schemas"));
  if (plan.missing > 0) said.push(t("restore.missing", { n: plan.missing }));
  if (plan.accounts.then === 0) said.push(t("restore.no-accounts"));
  return (
    <>
      {said.map((text) => (
        <p key={text} class="notice warning transfer-notice">
          <Icon name="warning" />
          <span>{text}</span>
        </p>
      ))}
    </>
  );
}
