// The form of a user of the site: a new one, or one that is changed.

import { useState } from "preact/hooks";
import { content } from "../core/api";
import { t as common } from "../core/i18n";
import { schema } from "../core/schema";
import { FormDialog } from "../screens/form-dialog";
import { Field } from "../ui/field";
import { Checkbox, PasswordInput, Select, TextInput } from "../ui/inputs";
import { toast } from "../ui/toasts";
import type { SiteRole } from "./permissions";
import { t } from "./words";

/** A user of the site; what the account may not see is left out. */
export interface User {
  id: number;
  username?: string;
  email?: string;
  confirmed?: boolean;
  blocked?: boolean;
  createdAt?: string;
  role?: SiteRole | null;
}

interface UserFormProps {
  /** The user that is changed; null for a new one. */
  user: User | null;
  roles: readonly SiteRole[];
  onClose: () => void;
  onSaved: () => Promise<void>;
}

export function UserForm({ user, roles, onClose, onSaved }: UserFormProps) {
  const [username, setUsername] = useState(user?.username ?? "");
  const [email, setEmail] = useState(user?.email ?? "");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState(String(user?.role?.id ?? roles.find((one) => one.type === "authenticated")?.id ?? ""));
  const [confirmed, setConfirmed] = useState(user?.confirmed ?? true);
  const send = async () => {
    const values = { username, email, confirmed, role: role === "" ? undefined : Number(role), password: password === "" ? undefined : password };
    const body = Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== undefined && maySet(name)));
    await (user ? content("PUT", `/users/${user.id}`, { body }) : content("POST", "/users", { body }));
    toast({ kind: "done", text: t("accounts.saved", { name: username }) });
    await onSaved();
  };
  return (
    <FormDialog
      title={user ? t("accounts.edit-title", { name: user.username ?? String(user.id) }) : t("users.add")}
      action={user ? common("save") : t("users.add")}
      fields={[]}
      check={() => ({})}
      send={send}
      onClose={onClose}
    >
      {() => (
        <>
          {maySet("username") && (
            <Field label={t("users.username")} required>
              {(wired) => <TextInput {...wired} autocomplete="off" value={username} onInput={setUsername} autofocus />}
            </Field>
          )}
          {maySet("email") && (
            <Field label={t("accounts.email")} required>
              {(wired) => <TextInput {...wired} type="email" autocomplete="off" value={email} onInput={setEmail} />}
            </Field>
          )}
          <Field label={t("users.password")} required={!user} help={user ? t("users.password-help") : undefined}>
            {(wired) => <PasswordInput {...wired} autocomplete="new-password" value={password} onInput={setPassword} />}
          </Field>
          {maySet("role") && roles.length > 0 && (
            <Field label={t("accounts.role")}>
              {(wired) => <Select {...wired} value={role} onInput={setRole} options={roles.map((one) => ({ value: String(one.id), label: one.name }))} />}
            </Field>
          )}
          {maySet("confirmed") && (
            <Checkbox checked={confirmed} onInput={setConfirmed}>
              {t("users.confirmed")}
            </Checkbox>
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Whether the account may set an attribute of users; passwords are never seen, and set by whoever may. */
function maySet(name: string): boolean {
  if (name === "password") return true;
  const attribute = schema.value?.users?.attributes.find((one) => one.name === name);
  return attribute !== undefined && !attribute.readOnly;
}
