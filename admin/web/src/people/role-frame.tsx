// What the pages of roles have in common, of the admin as of the site: the way back to the
// list, the name, the buttons, and sending it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t as common } from "../core/i18n";
import { Link, navigate } from "../core/router";
import { focusInvalid, FormError } from "../screens/door";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { t } from "./words";

interface RoleFrameProps {
  name: string;
  onName: (name: string) => void;
  /** What the role is called before it is saved. */
  was: string;
  /** The role is shown and not changed; this is why. */
  fixed?: ComponentChildren;
  /** The list of roles: its path, and the words of the link to it. */
  list: string;
  back: string;
  save: () => Promise<void>;
  /** Null if the role cannot be removed. */
  remove: (() => Promise<void>) | null;
  /** What is said of removing it, beside its name. */
  removing?: string;
  /** Below the buttons. */
  foot?: ComponentChildren;
  children: ComponentChildren;
}

export function RoleFrame({ name, onName, was, fixed, list, back, save, remove, removing, foot, children }: RoleFrameProps) {
  const [errors, setErrors] = useState<{ name?: string; form?: string }>({});
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const missing = name.trim() === "";
    setErrors(missing ? { name: t("role.name-missing") } : {});
    if (missing) return focusInvalid(form);
    setBusy(true);
    try {
      await save();
    } catch (error) {
      setErrors({ form: error instanceof Error ? error.message : String(error) });
      form.scrollIntoView();
    }
    setBusy(false);
  };
  return (
    <form class="form role" noValidate onSubmit={submit}>
      <Link class="role-back" to={list}>
        <Icon name="back" />
        {back}
      </Link>
      <FormError text={errors.form ?? ""} />
      {fixed && (
        <p class="notice">
          <Icon name="lock" />
          <span>{fixed}</span>
        </p>
      )}
      <Field label={t("role.name")} required={!fixed} errors={errors.name ? [errors.name] : []}>
        {(wired) => <TextInput {...wired} class="role-name" value={name} readOnly={Boolean(fixed)} onInput={onName} />}
      </Field>
      {children}
      {!fixed && (
        <footer class="section-actions">
          <Button variant="primary" type="submit" busy={busy}>
            {t("role.save")}
          </Button>
          <Button onClick={() => void navigate(list)}>{common("cancel")}</Button>
          {remove && (
            <Button variant="quiet" icon="trash" onClick={() => void removed(was, removing, remove).catch(toastError)}>
              {t("role.remove")}
            </Button>
          )}
        </footer>
      )}
      {foot}
    </form>
  );
}

/** Removes a role after a question. */
async function removed(name: string, body: string | undefined, remove: () => Promise<void>) {
  if (!(await confirm({ title: t("role.remove-title", { name }), body, action: t("role.remove"), danger: true }))) return;
  await remove();
  toast({ kind: "done", text: t("role.removed", { name }) });
}
