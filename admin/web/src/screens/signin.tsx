// Signing in: as a page, and as a dialog over a page when the session has expired.

import { useEffect, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { t, type Key } from "../core/i18n";
import { site, useTitle } from "../core/router";
import { account, expired, signIn } from "../core/session";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { PasswordInput, TextInput } from "../ui/inputs";
import { Door, focusInvalid, FormError } from "./door";

export function SignIn() {
  useTitle(t("signin.title"));
  const [needed, setNeeded] = useState(false);
  useEffect(() => {
    request<{ needed: boolean }>("GET", "/setup", { quiet: true }).then(
      ({ data }) => setNeeded(data.needed),
      () => undefined, // signing in says what is wrong
    );
  }, []);
  return (
    <Door title={t("signin.title")} text={site()}>
      {needed ? <p class="notice">{t("setup.needed")}</p> : <SignInForm email="" />}
    </Door>
  );
}

/** The dialog that opens by itself when a request finds the session expired. */
export function SignInAgain() {
  if (!expired.value) return null;
  return (
    <Dialog open stays size="small" title={t("signin.again")} onClose={() => undefined}>
      <div class="form">
        <p class="quiet-text">{t("signin.expired")}</p>
        <SignInForm email={account.value?.email ?? ""} />
      </div>
    </Dialog>
  );
}

interface Errors {
  email?: string;
  password?: string;
  form?: string;
}

function SignInForm({ email: known }: { email: string }) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const wrong: Errors = {};
    if (!email.trim()) wrong.email = t("signin.email-missing");
    if (!password) wrong.password = t("signin.password-missing");
    setErrors(wrong);
    if (wrong.email || wrong.password) return focusInvalid(form);
    setBusy(true);
    try {
      await signIn(email.trim(), password);
    } catch (error) {
      setErrors({ form: describe(error) });
      setBusy(false);
    }
  };
  return (
    <form class="form" noValidate onSubmit={submit}>
      <FormError text={errors.form ?? ""} />
      <Field label={t("signin.email")} errors={errors.email ? [errors.email] : []}>
        {(wired) => <TextInput {...wired} type="email" name="email" autocomplete="username" value={email} onInput={setEmail} autofocus={!known} />}
      </Field>
      <Field label={t("signin.password")} errors={errors.password ? [errors.password] : []}>
        {(wired) => <PasswordInput {...wired} name="password" autocomplete="current-password" value={password} onInput={setPassword} autofocus={known !== ""} />}
      </Field>
      <Button variant="primary" type="submit" busy={busy}>
        {t("signin.submit")}
      </Button>
    </form>
  );
}

function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  const known: { readonly [status: number]: Key } = { 400: "signin.wrong", 401: "signin.wrong", 429: "signin.many", 0: "offline" };
  const key = known[error.status];
  return key ? t(key) : error.message;
}
