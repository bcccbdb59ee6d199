// The first account, and a new password: pages that a link with a token opens.

import { useEffect, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { t } from "../core/i18n";
import { Link, navigate, place, useTitle } from "../core/router";
import { setUp, type Account } from "../core/session";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { PasswordInput, TextInput } from "../ui/inputs";
import { AfterPassword, asksForSecond } from "./signin";
import { Door, focusInvalid, FormError } from "./door";

type FieldName = "name" | "email" | "password";
type Errors = { [name in FieldName | "form"]?: string };

/** What a link is for: the account whose password it lets choose, or null for the first account. */
interface Purpose {
  account: Account | null;
}

export function SetUp() {
  const [purpose, setPurpose] = useState<Purpose | null>(null);
  const [problem, setProblem] = useState("");
  const token = place.value.hash;
  const title = purpose?.account ? t("setup.reset-title") : t("setup.title");
  useTitle(title);
  useEffect(() => {
    setProblem("");
    setPurpose(null);
    if (!token) return setProblem(t("setup.no-token"));
    request<Purpose>("POST", "/setup/link", { body: { token }, quiet: true }).then(
      ({ data }) => setPurpose(data),
      (error: unknown) => setProblem(explain(error).form ?? ""),
    );
  }, [token]);
  if (!purpose && !problem) return null;
  const text = purpose?.account ? t("setup.reset-intro", { name: purpose.account.name, email: purpose.account.email }) : t("setup.intro");
  return (
    <Door title={title} text={purpose ? text : undefined}>
      {purpose ? (
        <AfterPassword done={toHome}>{(second, why) => (why ? <Refused problem={why} /> : <Form key={token} token={token} account={purpose.account} second={second} />)}</AfterPassword>
      ) : (
        <Refused problem={problem} />
      )}
    </Door>
  );
}

function Refused({ problem }: { problem: string }) {
  return (
    <>
      <p class="notice">{problem}</p>
      <Link to="/">{t("setup.to-signin")}</Link>
    </>
  );
}

function Form({ token, account, second }: { token: string; account: Account | null; second: () => void }) {
  const first = account === null;
  const [values, setValues] = useState({ name: "", email: "", password: "" });
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const put = (name: FieldName) => (value: string) => setValues((before) => ({ ...before, [name]: value }));
  const wrong = (name: FieldName) => {
    const text = errors[name];
    return text ? [text] : [];
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const found = check(values, first);
    setErrors(found);
    if (Object.keys(found).length > 0) return focusInvalid(form);
    setBusy(true);
    try {
      await setUp(first ? { token, ...values, email: values.email.trim() } : { token, password: values.password });
      toHome();
    } catch (error) {
      if (asksForSecond(error)) return second();
      setErrors(explain(error));
      setBusy(false);
      focusInvalid(form);
    }
  };
  return (
    <form class="form" noValidate onSubmit={submit}>
      <FormError text={errors.form ?? ""} />
      {account ? (
        <input type="hidden" name="username" autocomplete="username" value={account.email} />
      ) : (
        <>
          <Field label={t("setup.name")} errors={wrong("name")}>
            {(wired) => <TextInput {...wired} name="name" autocomplete="name" value={values.name} onInput={put("name")} autofocus />}
          </Field>
          <Field label={t("setup.email")} errors={wrong("email")}>
            {(wired) => <TextInput {...wired} type="email" name="email" autocomplete="username" value={values.email} onInput={put("email")} />}
          </Field>
        </>
      )}
      <Field label={t("setup.password")} help={t("setup.password-help")} errors={wrong("password")}>
        {(wired) => (
          <PasswordInput {...wired} name="password" autocomplete="new-password" value={values.password} onInput={put("password")} autofocus={!first} />
        )}
      </Field>
      <Button variant="primary" type="submit" busy={busy}>
        {first ? t("setup.submit") : t("setup.reset-submit")}
      </Button>
    </form>
  );
}

/** Goes on to the admin; the token is not left in the history. */
const toHome = () => void navigate("/", { replace: true, force: true });

function check(values: Record<FieldName, string>, first: boolean): Errors {
  const found: Errors = {};
  if (first && !values.name.trim()) found.name = t("setup.name-missing");
  if (first && !/^\S+@\S+$/.test(values.email.trim())) found.email = t("setup.email-wrong");
  if ([...values.password].length < 8) found.password = t("setup.password-short");
  return found;
}

/** The server names the field that it refuses; without one it is the link. */
function explain(error: unknown): Errors {
  if (!(error instanceof ApiError)) return { form: String(error) };
  if (error.offline) return { form: t("offline") };
  const key = error.details.key;
  if (key === "name" || key === "email" || key === "password") return { [key]: error.message };
  return { form: error.status === 400 ? t("setup.bad-token") : error.message };
}
