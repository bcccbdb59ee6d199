// The form of an account of the admin: a new one, or one that is changed.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { t as common } from "../core/i18n";
import { isOwner, session, type Account } from "../core/session";
import { FormDialog } from "../screens/form-dialog";
import { Button, IconButton } from "../ui/button";
import { Field } from "../ui/field";
import { Checkbox, Select, TextInput } from "../ui/inputs";
import type { RoleLine } from "./rights";
import { t } from "./words";

/** An account as those see it who may change accounts. */
export interface AccountLine extends Account {
  createdAt: string;
  lastUsedAt: string | null;
  active: boolean;
  secondFactor: boolean;
  /** It signs in nowhere. */
  blocked: boolean;
  /** It is somebody's at the provider. */
  openid: boolean;
  /** For conditions of roles. */
  values: Record<string, string>;
}

interface AccountFormProps {
  /** The account that is changed; null for a new one. */
  of: AccountLine | null;
  roles: readonly RoleLine[];
  onClose: () => void;
  onSaved: (saved: AccountLine, isNew: boolean) => Promise<void>;
}

export function AccountForm({ of, roles, onClose, onSaved }: AccountFormProps) {
  const [name, setName] = useState(of?.name ?? "");
  const [email, setEmail] = useState(of?.email ?? "");
  const [role, setRole] = useState(of?.role.id ?? "editor");
  const [others, setOthers] = useState<readonly string[]>(of?.roles.slice(1).map(({ id }) => id) ?? []);
  const [values, setValues] = useState<readonly Named[]>(Object.entries(of?.values ?? {}));
  const further = roles.filter(({ id }) => id !== role);
  const check = () => ({
    ...(name.trim() === "" && { name: t("accounts.name-missing") }),
    ...(email.trim() === "" && { email: t("accounts.email-missing") }),
  });
  const send = async () => {
    const body = {
      name,
      email,
      roles: [role, ...further.map(({ id }) => id).filter((id) => others.includes(id))],
      ...(isOwner.value && { values: Object.fromEntries(values.filter(([name, value]) => name !== "" || value !== "")) }),
    };
    const { data } = of ? await request<AccountLine>("PUT", `/accounts/${of.id}`, { body }) : await request<AccountLine>("POST", "/accounts", { body });
    await onSaved(data, of === null);
  };
  return (
    <FormDialog
      title={of ? t("accounts.edit-title", { name: of.name }) : t("accounts.add")}
      action={of ? common("save") : t("accounts.add")}
      fields={["name", "email", "roles", ...values.map(([name]) => `values.${name}`)]}
      check={check}
      send={send}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field label={t("accounts.name")} required errors={errors.name}>
            {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
          </Field>
          <Field label={t("accounts.email")} required errors={errors.email} help={of ? undefined : t(!session.value?.passwords ? "accounts.provider-help" : session.value.mails ? "accounts.mail-help" : "accounts.invite-help")}>
            {(wired) => <TextInput {...wired} type="email" autocomplete="off" value={email} onInput={setEmail} />}
          </Field>
          <Field label={t("accounts.role")} errors={errors.roles}>
            {(wired) => <Select {...wired} value={role} onInput={setRole} options={roles.map(({ id: value, name: label }) => ({ value, label }))} />}
          </Field>
          <fieldset class="role-words">
            <legend>{t("accounts.further")}</legend>
            {further.map(({ id, name: label }) => (
              <Checkbox key={id} checked={others.includes(id)} onInput={(has) => setOthers(has ? [...others, id] : others.filter((one) => one !== id))}>
                {label}
              </Checkbox>
            ))}
          </fieldset>
          {isOwner.value && <Values values={values} errors={values.flatMap(([name]) => errors[`values.${name}`] ?? [])} onChange={setValues} />}
        </>
      )}
    </FormDialog>
  );
}

/** The name of a value, and the value. */
type Named = readonly [string, string];

interface ValuesProps {
  values: readonly Named[];
  errors: readonly string[];
  onChange: (values: readonly Named[]) => void;
}

/** The values that conditions of roles are about. */
function Values({ values, errors, onChange }: ValuesProps) {
  const put = (at: number, changed: Named | null) => onChange(values.flatMap((one, i) => (i !== at ? [one] : changed ? [changed] : [])));
  return (
    <fieldset class="role-words">
      <legend>{t("accounts.values")}</legend>
      {values.map(([name, value], at) => (
        <div key={at} class="role-condition">
          <TextInput aria-label={t("accounts.value-name")} value={name} onInput={(text) => put(at, [text, value])} />
          <TextInput aria-label={t("accounts.value")} value={value} onInput={(text) => put(at, [name, text])} />
          <IconButton small icon="close" label={t("accounts.value-remove")} onClick={() => put(at, null)} />
        </div>
      ))}
      {errors.map((text) => (
        <p class="field-error">{text}</p>
      ))}
      <Button small onClick={() => onChange([...values, ["", ""]])}>
        {t("accounts.value-add")}
      </Button>
    </fieldset>
  );
}
