// Setting up a second factor: the password, the app and its first code, the recovery codes.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { copyText } from "../core/clipboard";
import { t as common } from "../core/i18n";
import { hasFactor, signOut } from "../core/session";
import { useTitle } from "../core/router";
import { Door, FormError } from "../screens/door";
import { useForm } from "../screens/form";
import { Button } from "../ui/button";
import { toast, toastError } from "../ui/toasts";
import { ProofForm } from "./proof";
import { CodeField, describe } from "./step";
import { t } from "./words";

interface Begun {
  secret: string;
  url: string;
  qr: { size: number; path: string };
  ticket: string;
}

/** The steps of setting up; done is called when the codes have been kept. */
export function SetUpSteps({ done }: { done: () => void }) {
  const [begun, setBegun] = useState<Begun | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  if (codes) return <Recovery codes={codes} done={done} />;
  if (begun) return <Confirm begun={begun} done={setCodes} />;
  return (
    <ProofForm action={t("factor.next")} done={async (body) => setBegun((await request<Begun>("POST", "/session/second-factor/setup", { body })).data)}>
      <p class="quiet-text">{t("factor.off-text")}</p>
    </ProofForm>
  );
}

function Confirm({ begun, done }: { begun: Begun; done: (codes: string[]) => void }) {
  const [code, setCode] = useState("");
  const { size, path } = begun.qr;
  const { errors, busy, submit } = useForm<"code">({
    check: () => (code.trim() ? {} : { code: t("step.missing") }),
    send: async () => {
      const { data } = await request<{ recoveryCodes: string[] }>("PUT", "/session/second-factor", { body: { ticket: begun.ticket, code } });
      done(data.recoveryCodes);
    },
    explain: describe,
  });
  return (
    <form class="form" noValidate onSubmit={submit}>
      <p>{t("factor.scan")}</p>
      <svg class="qr" role="img" aria-label={t("factor.qr")} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
        <path d={path} />
      </svg>
      <p class="factor-secret">
        <span class="quiet-text">{t("factor.secret")}</span>
        <code data-testid="secret">{begun.secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
      </p>
      <FormError text={errors.form ?? ""} />
      <CodeField label={t("factor.first-code")} help={t("factor.first-help")} code={code} onInput={setCode} error={errors.code} autofocus />
      <Button variant="primary" type="submit" busy={busy}>
        {t("factor.switch-on")}
      </Button>
    </form>
  );
}

/** The recovery codes, which are shown once. */
export function Recovery({ codes, done }: { codes: readonly string[]; done: () => void }) {
  const copy = async () => {
    await copyText(codes.join("\n"));
    toast({ kind: "done", text: t("factor.copied") });
  };
  return (
    <div class="form">
      <p>{t("factor.recovery-text")}</p>
      <ul class="recovery-codes" aria-label={t("factor.recovery-title")}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Button icon="copy" onClick={() => void copy().catch(toastError)}>
        {t("factor.copy")}
      </Button>
      <Button variant="primary" onClick={done}>
        {t("factor.kept")}
      </Button>
    </div>
  );
}

/** The page of an account that needs a second factor before it may do anything else. */
export function FactorDoor() {
  useTitle(t("factor.set-up-title"));
  return (
    <Door title={t("factor.set-up-title")} text={t("factor.required")}>
      <SetUpSteps done={hasFactor} />
      <Button variant="quiet" onClick={() => void signOut().catch(toastError)}>
        {common("shell.signout")}
      </Button>
    </Door>
  );
}
