// The form of an account of the admin: a new one, or one that is changed.

import { useId, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { t as common } from "../core/i18n";
import { focusInvalid, FormError } from "../screens/door";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Select, TextInput } from "../ui/inputs";
import type { AccountLine } from "./accounts";
import type { RoleLine } from "./roles";
import { t } from "./words";

interface AccountFormProps {
  /** The account that is changed; null for a new one. */
  of: AccountLine | null;
  roles: readonly RoleLine[];
  onClose: () => void;
  onSaved: (saved: AccountLine, isNew: boolean) => Promise<void>;
}

type FieldName = "name" | "email" | "role";
type Errors = { [name in FieldName | "form"]?: string };

export function AccountForm({ of, roles, onClose, onSaved }: AccountFormProps) {
  const id = useId();
  const [name, setName] = useState(of?.name ?? "");
  const [email, setEmail] = useState(of?.email ?? "");
  const [role, setRole] = useState(of?.role.id ?? "editor");
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const wrong: Errors = {
      ...(name.trim() === "" && { name: t("accounts.name-missing") }),
      ...(email.trim() === "" && { email: t("accounts.email-missing") }),
    };
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return focusInvalid(form);
    setBusy(true);
    try {
      const body = { name, email, role };
      const { data } = of ? await request<AccountLine>("PUT", `/accounts/${of.id}`, { body }) : await request<AccountLine>("POST", "/accounts", { body });
      await onSaved(data, of === null);
    } catch (error) {
      setErrors(explain(error));
      setBusy(false);
      focusInvalid(form);
    }
  };
  return (
    <Dialog
      open
      size="small"
      title={of ? t("accounts.edit-title", { name: of.name }) : t("accounts.add")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button variant="primary" type="submit" form={id} busy={busy}>
            {of ? common("save") : t("accounts.add")}
          </Button>
        </>
      }
    >
      <form id={id} class="form" noValidate onSubmit={submit}>
        <FormError text={errors.form ?? ""} />
        <Field label={t("accounts.name")} required errors={listed(errors.name)}>
          {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
        </Field>
        <Field label={t("accounts.email")} required errors={listed(errors.email)} help={of ? undefined : t("accounts.invite-help")}>
          {(wired) => <TextInput {...wired} type="email" autocomplete="off" value={email} onInput={setEmail} />}
        </Field>
        <Field label={t("accounts.role")} errors={listed(errors.role)}>
          {(wired) => <Select {...wired} value={role} onInput={setRole} options={roles.map(({ id: value, name: label }) => ({ value, label }))} />}
        </Field>
      </form>
    </Dialog>
  );
}

function listed(error: string | undefined): string[] {
  return error ? [error] : [];
}

/** The server's error at the field that it names, else at the form. */
function explain(error: unknown): Errors {
  const text = error instanceof Error ? error.message : String(error);
  const key = error instanceof ApiError ? error.details.key : undefined;
  return key === "name" || key === "email" || key === "role" ? { [key]: text } : { form: text };
}
