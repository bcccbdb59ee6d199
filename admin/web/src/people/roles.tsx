// The roles of the admin: a list of them, and the page of each.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { Link, match, navigate, place } from "../core/router";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { toastError } from "../ui/toasts";
import { rolePath, rolesPath, type RoleLine } from "./rights";
import { RoleForm } from "./role-form";
import { t } from "./words";

export function Roles() {
  const [roles, setRoles] = useState<RoleLine[] | null>(null);
  const load = async () => setRoles((await request<RoleLine[]>("GET", "/roles")).data);
  useEffect(() => void load().catch(toastError), []);
  if (roles === null) return null;
  const id = match(`${rolesPath}/:id`, place.value.path)?.id;
  if (id === undefined) return <RoleList roles={roles} />;
  const from = roles.find((role) => role.id === (id === "new" ? place.value.query.get("from") : id));
  if (id !== "new" && !from) return <Empty icon="people" title={t("roles.missing")} action={<Link to={rolesPath}>{t("roles.to-list")}</Link>} />;
  const done = async () => {
    await load();
    await navigate(rolesPath, { force: true });
  };
  return <RoleForm key={`${id} ${from?.id ?? ""}`} role={id === "new" ? copyOf(from) : (from as RoleLine)} done={done} />;
}

function copyOf(role: RoleLine | undefined): RoleLine {
  const { full, ...rights } = role?.rights ?? {};
  return { id: "", name: role ? t("roles.copy", { name: role.name }) : "", builtIn: false, accounts: 0, rights, secondFactor: role?.secondFactor ?? false };
}

function RoleList({ roles }: { roles: readonly RoleLine[] }) {
  return (
    <SectionPart
      title={t("roles.title")}
      text={t("roles.text")}
      actions={
        <Button variant="primary" icon="plus" onClick={() => void navigate(rolePath("new"))}>
          {t("roles.add")}
        </Button>
      }
    >
      <SectionTable columns={[t("accounts.name"), t("roles.accounts")]}>
        {roles.map((role) => (
          <tr key={role.id}>
            <th scope="row">
              <Link to={rolePath(role.id)}>{role.name}</Link>
              {role.builtIn && <span class="quiet-text"> · {t("roles.built-in")}</span>}
            </th>
            <td data-label={t("roles.accounts")}>{role.accounts}</td>
            <td class="actions">
              {!role.rights.full && (
                <Button small variant="quiet" icon="duplicate" aria-label={t("roles.duplicate", { name: role.name })} onClick={() => void navigate(`${rolePath("new")}?from=${role.id}`)}>
                  {t("roles.duplicate-button")}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </SectionTable>
    </SectionPart>
  );
}
