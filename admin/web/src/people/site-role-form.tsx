// The page of a role of the site: its permissions, and what somebody with it may see.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { navigate } from "../core/router";
import { SectionPart } from "../screens/section";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { PermissionList } from "./permission-list";
import { fromTree, siteRolesPath, toTree, type Permissions, type SiteRole, type Tree } from "./permissions";
import { RoleAnswer } from "./role-answer";
import { RoleFrame } from "./role-frame";
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

  const save = async () => {
    const body = { name, description, permissions: toTree(held) };
    await (isNew ? content("POST", path, { body }) : content("PUT", `${path}/${id}`, { body }));
    toast({ kind: "done", text: t("role.saved", { name }) });
    if (isNew) await navigate(siteRolesPath, { force: true });
  };
  const remove = async () => {
    await content("DELETE", `${path}/${id}`);
    await navigate(siteRolesPath, { force: true });
  };
  const removable = role && role.type !== "public" && role.type !== "authenticated";
  return (
    <RoleFrame
      name={name}
      onName={setName}
      was={role?.name ?? ""}
      fixed={fixed && t("site-roles.in-site")}
      list={siteRolesPath}
      back={t("site-roles.to-list")}
      save={save}
      remove={removable ? remove : null}
      removing={t("site-roles.remove-text")}
      foot={role && <RoleAnswer role={role.type} />}
    >
      <Field label={t("site-roles.description")}>{(wired) => <TextInput {...wired} class="role-name" value={description} readOnly={fixed} onInput={setDescription} />}</Field>
      <SectionPart title={t("site-roles.permissions")} text={t("site-roles.permissions-text")}>
        <PermissionList all={known.permissions} held={held} fixed={fixed} onChange={setHeld} />
      </SectionPart>
    </RoleFrame>
  );
}
