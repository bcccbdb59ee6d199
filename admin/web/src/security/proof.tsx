// A form that asks for the password, and for a code where there is a second factor.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t as common } from "../core/i18n";
import { account, session } from "../core/session";
import { FormError } from "../screens/door";
import { useForm } from "../screens/form";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { PasswordInput } from "../ui/inputs";
import { CodeField, describe } from "./step";
import { t } from "./words";

export interface Proof {
  password: string;
  code?: string;
}

interface ProofProps {
  action: string;
  danger?: boolean;
  withCode?: boolean;
  /** What is done with it; what it throws is said at the field that it is about. */
  done: (proof: Proof) => Promise<void>;
  children?: ComponentChildren;
}

export function ProofForm({ action, danger, withCode, done, children }: ProofProps) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const known = session.value?.password ?? true; // an account of the provider may have none
  const { errors, busy, submit } = useForm<"code" | "password">({
    check: () => ({
      ...(known && !password && { password: common("signin.password-missing") }),
      ...(withCode && !code.trim() && { code: t("step.missing") }),
    }),
    send: () => done(withCode ? { password, code } : { password }),
    explain: describe,
  });
  return (
    <form class="form" noValidate onSubmit={submit}>
      {children}
      <FormError text={errors.form ?? (known ? undefined : errors.password) ?? ""} />
      <input type="hidden" name="username" autocomplete="username" value={account.value?.email} />
      {known && (
        <Field label={common("password.current")} errors={errors.password ? [errors.password] : []}>
          {(wired) => <PasswordInput {...wired} autocomplete="current-password" value={password} onInput={setPassword} autofocus />}
        </Field>
      )}
      {withCode && <CodeField label={t("step.code")} help={t("step.help")} code={code} onInput={setCode} error={errors.code} />}
      <Button variant={danger ? "danger" : "primary"} type="submit" busy={busy}>
        {action}
      </Button>
    </form>
  );
}
