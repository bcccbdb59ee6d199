// Signing in: as a page, and as a dialog over a page when the session has expired.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { t, type Key } from "../core/i18n";
import { base, navigate, place, site, useTitle } from "../core/router";
import { account, expired, signIn, wasRestored } from "../core/session";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import type { ProviderProps } from "../security/provider";
import type { StepProps } from "../security/step";
import { PasswordInput, TextInput } from "../ui/inputs";
import { lazy } from "../ui/lazy";
import { Door, focusInvalid, FormError } from "./door";

/** How people sign in here. */
interface Ways {
  /** The first account is still to be made. */
  needed: boolean;
  passwords: boolean;
  /** What the button says that leads to the provider; null where there is none. */
  openid: string | null;
}

/** Finds out how people sign in here; null until it is known. */
function useWays(): Ways | null {
  const [ways, setWays] = useState<Ways | null>(null);
  useEffect(() => {
    request<Ways>("GET", "/setup", { quiet: true }).then(
      ({ data }) => setWays(data),
      () => setWays({ needed: false, passwords: true, openid: null }), // signing in says what is wrong
    );
  }, []);
  return ways;
}

/** Goes on to the page that the provider was left for, once the second factor was shown. */
function goOn() {
  const to = place.value.query.get("to");
  if (place.value.query.has("second")) void navigate(to?.startsWith(base + "/") ? to.slice(base.length) : "/", { replace: true, force: true });
}

export function SignIn() {
  useTitle(t("signin.title"));
  const ways = useWays();
  return (
    <Door title={t("signin.title")} text={site()}>
      {wasRestored() && <p class="notice">{t("signin.restored")}</p>}
      {ways?.needed && <p class="notice">{t("setup.needed")}</p>}
      {ways && (!ways.needed || ways.openid !== null) && <SignInForm email="" ways={{ ...ways, passwords: ways.passwords && !ways.needed }} />}
    </Door>
  );
}

/** The dialog that opens by itself when a request finds the session expired. */
export function SignInAgain() {
  return expired.value ? <Again /> : null;
}

function Again() {
  const ways = useWays();
  return (
    <Dialog open stays size="small" title={t("signin.again")} onClose={() => undefined}>
      <div class="form">
        <p class="quiet-text">{t("signin.expired")}</p>
        {ways && <SignInForm email={account.value?.email ?? ""} ways={ways} again />}
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

const { Lazy: ProviderButton } = lazy<ProviderProps>(async () => ({ default: (await import("../security/page")).ProviderButton }));

interface AfterPasswordProps {
  /** It goes on with what follows at once: the provider has been there already. */
  begun?: boolean;
  done?: (() => void) | undefined;
  /** The form for the password; second goes on from it, why says why all began again. */
  children: (second: () => void, why: string) => ComponentChildren;
}

/** A form for a password, and what may follow it. */
export function AfterPassword({ begun = false, done, children }: AfterPasswordProps) {
  const [second, setSecond] = useState(begun);
  const [why, setWhy] = useState("");
  const again = (reason: string) => {
    setWhy(reason);
    setSecond(false);
  };
  return second ? <SecondStep again={again} done={done} /> : <>{children(() => setSecond(true), why)}</>;
}

function SignInForm({ email, ways, again = false }: { email: string; ways: Ways; again?: boolean }) {
  const { passwords, openid } = ways;
  return (
    <AfterPassword begun={!again && place.value.query.has("second")} done={again ? undefined : goOn}>
      {(second, why) => (
        <>
          {passwords ? <PasswordStep email={email} second={second} why={why} /> : <FormError text={why} />}
          {passwords && "PublicKeyCredential" in window && <PasskeyButton />}
          {openid !== null && <ProviderButton label={openid} alone={!passwords} apart={again} />}
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
