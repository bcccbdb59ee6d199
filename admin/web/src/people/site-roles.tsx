// The roles of the site: what its users, and callers without a credential, may do.

import { useEffect, useState } from "preact/hooks";
import { content, request } from "../core/api";
import { Link, match, navigate, place } from "../core/router";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { toastError } from "../ui/toasts";
import { siteRolesPath, type Permissions, type SiteRole } from "./permissions";
import { SiteRoleForm } from "./site-role-form";
import { t } from "./words";

export function SiteRoles() {
  const [roles, setRoles] = useState<SiteRole[] | null>(null);
  const [known, setKnown] = useState<Permissions | null>(null);
  const id = match(`${siteRolesPath}/:id`, place.value.path)?.id;
  const load = async () => {
    const [list, all] = await Promise.all([content<{ roles: SiteRole[] }>("GET", "/users-permissions/roles"), request<Permissions>("GET", "/permissions")]);
    setRoles(list.data.roles);
    setKnown(all.data);
  };
  useEffect(() => void load().catch(toastError), [id]);
  if (!roles || !known) return null;
  if (id !== undefined) return <SiteRoleForm key={id} id={id} known={known} />;
  return (
    <SectionPart
      title={t("site-roles.title")}
      text={t("site-roles.text")}
      actions={
        <Button variant="primary" icon="plus" onClick={() => void navigate(`${siteRolesPath}/new`)}>
          {t("roles.add")}
        </Button>
      }
    >
      <SectionTable shownOnly columns={[t("accounts.name"), t("site-roles.description"), t("site-roles.users")]}>
        {roles.map((role) => (
          <tr key={role.id}>
            <th scope="row">
              <Link to={`${siteRolesPath}/${role.id}`}>{role.name}</Link>
              {known.inSite.includes(role.type) && <span class="quiet-text"> · {t("site-roles.in-site-short")}</span>}
            </th>
            <td class="quiet-text">{role.description}</td>
            <td data-label={t("site-roles.users")}>{role.type === "public" ? t("site-roles.everybody") : role.nb_users}</td>
          </tr>
        ))}
      </SectionTable>
    </SectionPart>
  );
}
