// The section of people: who works on the site, and what they may do.

import "../main"; // what the start has loaded is not loaded again
import { SectionPage } from "../screens/section";
import { Accounts } from "./accounts";
import { Roles } from "./roles";
import { t } from "./words";

export default function People() {
  const pages = [
    { path: "", label: t("accounts.title"), Page: Accounts },
    { path: "roles", label: t("roles.title"), Page: Roles },
  ];
  return <SectionPage path="/people" title={t("title")} pages={pages} />;
}
