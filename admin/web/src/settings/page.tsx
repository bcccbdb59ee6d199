// The section of settings: what site.json sets, with the reason why most of it is changed there.

import { SectionPage } from "../screens/section";
import { lazy } from "../ui/lazy";
import { Locales } from "./locales";
import { Further, Limits, Previews } from "./shown";
import { Stages } from "./stages";
import { t } from "./words";

const { Lazy: Searches } = lazy(() => import("../searches/page"));

export default function Settings() {
  const pages = [
    { path: "", label: t("locales.title"), Page: Locales },
    { path: "limits", label: t("limits.title"), Page: Limits },
    { path: "previews", label: t("previews.title"), Page: Previews },
    { path: "stages", label: t("stages.title"), Page: Stages },
    { path: "search", label: t("search.title"), Page: Searches },
    { path: "further", label: t("further.title"), Page: Further },
  ];
  return <SectionPage path="/settings" title={t("title")} pages={pages} />;
}
