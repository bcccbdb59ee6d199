// The second step of signing in: the code, after the password.

import { useEffect, useId, useState } from "preact/hooks";
import { ApiError } from "../core/api";
import { t as common } from "../core/i18n";
import { signInStep } from "../core/session";
import { FormError } from "../screens/door";
import { useForm, type Errors } from "../screens/form";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { t } from "./words";

export interface StepProps {
  /** Goes back to the password, with what to say there. */
  again: (why: string) => void;
  /** What is done once the account is signed in. */
  done?: () => void;
}

export function SecondStep({ again, done }: StepProps) {
  const [code, setCode] = useState("");
  const { errors, busy, submit } = useForm<"code">({
    check: () => (code.trim() ? {} : { code: t("step.missing") }),
    send: async () => {
      await signInStep("/session/code", { code });
      done?.();
    },
    explain: (error) => {
      if (error instanceof ApiError && error.name === "SignInExpired") again(t("step.over"));
      setCode("");
      return describe(error);
    },
  });
  return (
    <form class="form" noValidate onSubmit={submit}>
      <p class="quiet-text">{t("step.text")}</p>
      <FormError text={errors.form ?? ""} />
      <CodeField label={t("step.code")} help={t("step.help")} code={code} onInput={setCode} error={errors.code} autofocus />
      <Button variant="primary" type="submit" busy={busy}>
        {common("signin.submit")}
      </Button>
      <Button variant="quiet" onClick={() => again("")}>
        {t("step.back")}
      </Button>
    </form>
  );
}

interface CodeFieldProps {
  label: string;
  help: string;
  code: string;
  onInput: (code: string) => void;
  error?: string;
  autofocus?: boolean;
}

/** A field for a code, which browsers and phones fill in. */
export function CodeField({ label, help, code, onInput, error, autofocus }: CodeFieldProps) {
  const id = useId();
  useEffect(() => {
    if (autofocus) document.getElementById(id)?.focus();
  }, []);
  return (
    <Field id={id} label={label} help={help} errors={error ? [error] : []}>
      {(wired) => <TextInput {...wired} mono name="code" autocomplete="one-time-code" spellcheck={false} dir="ltr" value={code} onInput={onInput} />}
    </Field>
  );
}

/** Where an error belongs: at the code, or at the form. */
export function describe(error: unknown): Errors<"code" | "password"> {
  if (!(error instanceof ApiError)) return { form: error instanceof Error ? error.message : String(error) };
  if (error.details.key === "code") return { code: t("step.wrong") };
  if (error.details.key === "password") return { password: error.message };
  return { form: error.status === 429 ? common("signin.many") : error.offline ? common("offline") : error.message };
}
