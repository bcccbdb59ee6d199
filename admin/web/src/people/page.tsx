// The section of people: who works on the site, and what they may do.

import "../main"; // what the start has loaded is not loaded again
import { SectionPage } from "../screens/section";
import { Accounts } from "./accounts";
import { t } from "./words";

export default function People() {
  return <SectionPage path="/people" title={t("title")} pages={[{ path: "", label: t("accounts.title"), Page: Accounts }]} />;
}
