// The page of a role: its name, what it may do with each type, with files and the site.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { t as common } from "../core/i18n";
import { Link, navigate } from "../core/router";
import { focusInvalid, FormError } from "../screens/door";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Checkbox, TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { withWord, type Rights } from "./rights";
import { RoleMatrix } from "./role-matrix";
import { rolePath, type RoleLine } from "./roles";
import { t } from "./words";

interface RoleFormProps {
  /** The role that is changed; one without an id is a new one. */
  role: RoleLine;
  /** Shows the list again. */
  done: () => Promise<void>;
}

const files = ["read", "upload", "delete"] as const;
const site = ["accounts", "access", "schemas", "settings"] as const;

export function RoleForm({ role, done }: RoleFormProps) {
  const [name, setName] = useState(role.name);
  const [rights, setRights] = useState<Rights>(role.rights);
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
      const body = { name, rights };
      if (role.id === "") await request("POST", "/roles", { body });
      else await request("PUT", `/roles/${role.id}`, { body });
      toast({ kind: "done", text: t("role.saved", { name }) });
      await done();
    } catch (error) {
      setErrors({ form: error instanceof Error ? error.message : String(error) });
      setBusy(false);
      form.scrollIntoView();
    }
  };
  const remove = async () => {
    if (!(await confirm({ title: t("role.remove-title", { name: role.name }), action: t("role.remove"), danger: true }))) return;
    await request("DELETE", `/roles/${role.id}`);
    toast({ kind: "done", text: t("role.removed", { name: role.name }) });
    await done();
  };
  return (
    <form class="form role" noValidate onSubmit={submit}>
      <Link class="role-back" to="/people/roles">
        <Icon name="back" />
        {t("roles.to-list")}
      </Link>
      <FormError text={errors.form ?? ""} />
      {role.builtIn && <BuiltIn role={role} />}
      <Field label={t("role.name")} required={!role.builtIn} errors={errors.name ? [errors.name] : []}>
        {(wired) => <TextInput {...wired} class="role-name" value={name} readOnly={role.builtIn} onInput={setName} />}
      </Field>
      {!rights.full && <RoleRights rights={rights} fixed={role.builtIn} onChange={setRights} />}
      {!role.builtIn && (
        <footer class="section-actions">
          <Button variant="primary" type="submit" busy={busy}>
            {t("role.save")}
          </Button>
          <Button onClick={() => void navigate("/people/roles")}>{common("cancel")}</Button>
          {role.id !== "" && (
            <Button variant="quiet" icon="trash" onClick={() => void remove().catch(toastError)}>
              {t("role.remove")}
            </Button>
          )}
        </footer>
      )}
    </form>
  );
}

function BuiltIn({ role }: { role: RoleLine }) {
  return (
    <p class="notice">
      <Icon name="lock" />
      <span>
        {role.rights.full ? t("role.full") : t("role.built-in")} {!role.rights.full && <Link to={`${rolePath("new")}?from=${role.id}`}>{t("roles.duplicate-button")}</Link>}
      </span>
    </p>
  );
}

interface RoleRightsProps {
  rights: Rights;
  /** They are shown and not changed. */
  fixed: boolean;
  onChange: (rights: Rights) => void;
}

function RoleRights({ rights, fixed, onChange }: RoleRightsProps) {
  return (
    <>
      <SectionPart title={t("role.content")} text={t("role.content-text")}>
        <RoleMatrix rights={rights} fixed={fixed} onChange={onChange} />
      </SectionPart>
      <fieldset class="role-words" disabled={fixed}>
        <legend>{t("role.files")}</legend>
        {files.map((word) => (
          <Checkbox key={word} checked={rights.files?.includes(word) ?? false} onInput={(there) => onChange({ ...rights, files: withWord(rights.files, files, word, there) })}>
            {t(`role.file.${word}`)}
          </Checkbox>
        ))}
      </fieldset>
      <fieldset class="role-words" disabled={fixed}>
        <legend>{t("role.site")}</legend>
        <Checkbox checked={rights.releases ?? false} onInput={(releases) => onChange({ ...rights, releases })}>
          {t("role.releases")}
        </Checkbox>
        {site.map((word) => (
          <Checkbox key={word} checked={rights.site?.includes(word) ?? false} onInput={(there) => onChange({ ...rights, site: withWord(rights.site, site, word, there) })}>
            {t(`role.site.${word}`)}
          </Checkbox>
        ))}
      </fieldset>
    </>
  );
}
