// The first account, and a new password: pages that a link with a token opens.

import { useEffect, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { t } from "../core/i18n";
import { navigate, place, useTitle } from "../core/router";
import { setUp } from "../core/session";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { PasswordInput, TextInput } from "../ui/inputs";
import { Door, focusInvalid, FormError } from "./door";

type FieldName = "name" | "email" | "password";
type Errors = { [name in FieldName | "form"]?: string };

export function SetUp() {
  const [needed, setNeeded] = useState<boolean | null>(null);
  const title = needed === false ? t("setup.reset-title") : t("setup.title");
  useTitle(title);
  useEffect(() => {
    request<{ needed: boolean }>("GET", "/setup", { quiet: true }).then(
      ({ data }) => setNeeded(data.needed),
      () => setNeeded(true), // sending the form says what is wrong
    );
  }, []);
  const token = place.value.hash;
  if (needed === null) return null;
  return (
    <Door title={title} text={needed ? t("setup.intro") : undefined}>
      {token ? <Form token={token} first={needed} /> : <p class="notice">{t("setup.no-token")}</p>}
    </Door>
  );
}

function Form({ token, first }: { token: string; first: boolean }) {
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
      await navigate("/", { replace: true, force: true }); // the token is not left in the history
    } catch (error) {
      setErrors(explain(error));
      setBusy(false);
      focusInvalid(form);
    }
  };
  return (
    <form class="form" noValidate onSubmit={submit}>
      <FormError text={errors.form ?? ""} />
      {first && (
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
