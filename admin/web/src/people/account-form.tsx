// The form of an account of the admin: a new one, or one that is changed.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { t as common } from "../core/i18n";
import { session, type Account } from "../core/session";
import { FormDialog } from "../screens/form-dialog";
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
  const further = roles.filter(({ id }) => id !== role);
  const check = () => ({
    ...(name.trim() === "" && { name: t("accounts.name-missing") }),
    ...(email.trim() === "" && { email: t("accounts.email-missing") }),
  });
  const send = async () => {
    const body = { name, email, roles: [role, ...further.map(({ id }) => id).filter((id) => others.includes(id))] };
    const { data } = of ? await request<AccountLine>("PUT", `/accounts/${of.id}`, { body }) : await request<AccountLine>("POST", "/accounts", { body });
    await onSaved(data, of === null);
  };
  return (
    <FormDialog
      title={of ? t("accounts.edit-title", { name: of.name }) : t("accounts.add")}
      action={of ? common("save") : t("accounts.add")}
      fields={["name", "email", "roles"]}
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
        </>
      )}
    </FormDialog>
  );
}
