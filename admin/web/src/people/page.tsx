// The section of people: who works on the site, and what they may do.

import { schema } from "../core/schema";
import { maySite } from "../core/session";
import { SectionPage } from "../screens/section";
import { Accounts } from "./accounts";
import { Roles } from "./roles";
import { SiteRoles } from "./site-roles";
import { Tokens } from "./tokens";
import { Users } from "./users";
import { t } from "./words";

export default function People() {
  const pages = [
    { path: "", label: t("accounts.title"), Page: Accounts, shown: maySite("accounts") },
    { path: "roles", label: t("roles.title"), Page: Roles, shown: maySite("accounts") },
    { path: "users", label: t("users.title"), Page: Users, shown: schema.value?.users != null },
    { path: "site-roles", label: t("site-roles.title"), Page: SiteRoles, shown: maySite("access") },
    { path: "tokens", label: t("tokens.title"), Page: Tokens, shown: maySite("access") },
  ].filter((page) => page.shown);
  return <SectionPage path="/people" title={t("title")} pages={pages} />;
}
