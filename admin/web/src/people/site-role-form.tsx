// The page of a role of the site: its permissions, and what somebody with it may see.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { t as common } from "../core/i18n";
import { Link, navigate } from "../core/router";
import { focusInvalid, FormError } from "../screens/door";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { PermissionList } from "./permission-list";
import { fromTree, toTree, type Tree } from "./permissions";
import { RoleAnswer } from "./role-answer";
import { siteRolesPath, type Permissions, type SiteRole } from "./site-roles";
import { t } from "./words";

type Loaded = SiteRole & { permissions: Tree };

interface SiteRoleFormProps {
  /** Of the role; "new" for one that is made. */
  id: string;
  known: Permissions;
}

const path = "/users-permissions/roles";

export function SiteRoleForm({ id, known }: SiteRoleFormProps) {
  const [role, setRole] = useState<SiteRole | null>(null);
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [held, setHeld] = useState<string[]>([]);
  const [errors, setErrors] = useState<{ name?: string; form?: string }>({});
  const [busy, setBusy] = useState(false);
  const isNew = id === "new";
  const fixed = role !== null && known.inSite.includes(role.type);
  useEffect(() => {
    if (isNew) return;
    content<{ role: Loaded }>("GET", `${path}/${id}`).then(({ data }) => {
      setRole(data.role);
      setName(data.role.name);
      setDescription(data.role.description ?? "");
      setHeld(fromTree(data.role.permissions));
    }, toastError);
  }, [id]);
  if (!isNew && !role) return null;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const missing = name.trim() === "";
    setErrors(missing ? { name: t("role.name-missing") } : {});
    if (missing) return focusInvalid(form);
    setBusy(true);
    try {
      const body = { name, description, permissions: toTree(held) };
      await (isNew ? content("POST", path, { body }) : content("PUT", `${path}/${id}`, { body }));
      toast({ kind: "done", text: t("role.saved", { name }) });
      if (isNew) await navigate(siteRolesPath, { force: true });
    } catch (error) {
      setErrors({ form: error instanceof Error ? error.message : String(error) });
      form.scrollIntoView();
    }
    setBusy(false);
  };
  const remove = async () => {
    if (!(await confirm({ title: t("role.remove-title", { name }), body: t("site-roles.remove-text"), action: t("role.remove"), danger: true }))) return;
    await content("DELETE", `${path}/${id}`);
    toast({ kind: "done", text: t("role.removed", { name }) });
    await navigate(siteRolesPath, { force: true });
  };
  return (
    <form class="form role" noValidate onSubmit={submit}>
      <Link class="role-back" to={siteRolesPath}>
        <Icon name="back" />
        {t("site-roles.to-list")}
      </Link>
      <FormError text={errors.form ?? ""} />
      {fixed && (
        <p class="notice">
          <Icon name="lock" />
          <span>{t("site-roles.in-site")}</span>
        </p>
      )}
      <Field label={t("role.name")} required={!fixed} errors={errors.name ? [errors.name] : []}>
        {(wired) => <TextInput {...wired} class="role-name" value={name} readOnly={fixed} onInput={setName} />}
      </Field>
      <Field label={t("site-roles.description")}>{(wired) => <TextInput {...wired} class="role-name" value={description} readOnly={fixed} onInput={setDescription} />}</Field>
      <SectionPart title={t("site-roles.permissions")} text={t("site-roles.permissions-text")}>
        <PermissionList all={known.permissions} held={held} fixed={fixed} onChange={setHeld} />
      </SectionPart>
      {!fixed && (
        <footer class="section-actions">
          <Button variant="primary" type="submit" busy={busy}>
            {t("role.save")}
          </Button>
          <Button onClick={() => void navigate(siteRolesPath)}>{common("cancel")}</Button>
          {role && role.type !== "public" && role.type !== "authenticated" && (
            <Button variant="quiet" icon="trash" onClick={() => void remove().catch(toastError)}>
              {t("role.remove")}
            </Button>
          )}
        </footer>
      )}
      {role && <RoleAnswer role={role.type} />}
    </form>
  );
}
