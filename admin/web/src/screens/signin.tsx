// Signing in: as a page, and as a dialog over a page when the session has expired.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { t, type Key } from "../core/i18n";
import { site, useTitle } from "../core/router";
import { account, expired, signIn, wasRestored } from "../core/session";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import type { StepProps } from "../security/step";
import { PasswordInput, TextInput } from "../ui/inputs";
import { lazy } from "../ui/lazy";
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
      {wasRestored() && <p class="notice">{t("signin.restored")}</p>}
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

const { Lazy: SecondStep } = lazy<StepProps>(async () => ({ default: (await import("../security/page")).SecondStep }));

const { Lazy: PasskeyButton } = lazy(async () => ({ default: (await import("../security/page")).PasskeyButton }));

/** Whether an error asks for the second factor, now that the password was right. */
export function asksForSecond(error: unknown): boolean {
  return error instanceof ApiError && error.name === "SecondFactor";
}

interface AfterPasswordProps {
  done?: () => void;
  /** The form for the password; second goes on from it, why says why all began again. */
  children: (second: () => void, why: string) => ComponentChildren;
}

/** A form for a password, and what may follow it. */
export function AfterPassword({ done, children }: AfterPasswordProps) {
  const [second, setSecond] = useState(false);
  const [why, setWhy] = useState("");
  const again = (reason: string) => {
    setWhy(reason);
    setSecond(false);
  };
  return second ? <SecondStep again={again} done={done} /> : <>{children(() => setSecond(true), why)}</>;
}

function SignInForm({ email }: { email: string }) {
  return (
    <AfterPassword>
      {(second, why) => (
        <>
          <PasswordStep email={email} second={second} why={why} />
          {"PublicKeyCredential" in window && <PasskeyButton />}
        </>
      )}
    </AfterPassword>
  );
}

function PasswordStep({ email: known, second, why }: { email: string; second: () => void; why: string }) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [errors, setErrors] = useState<Errors>({ form: why });
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
      if (asksForSecond(error)) return second();
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
