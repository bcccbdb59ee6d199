// The section of operation: how the site runs, its backups, and who did what.

import { isOwner } from "../core/session";
import { SectionPage } from "../screens/section";
import { lazy } from "../ui/lazy";
import { Audit } from "./audit";
import { Backups } from "./backups";
import { Mail } from "./mail";
import { SlowRequests } from "./slow";
import { Status } from "./status";
import { t } from "./words";

const { Lazy: Export } = lazy(async () => ({ default: (await import("../transfer/page")).Export }));
const { Lazy: Import } = lazy(async () => ({ default: (await import("../transfer/page")).Import }));
const { Lazy: Webhooks } = lazy(() => import("../webhooks/page"));

export default function Operation() {
  const pages = [
    { path: "", label: t("status.title"), Page: Status },
    { path: "backups", label: t("backups.title"), Page: Backups },
    ...(isOwner.value ? [{ path: "import", label: t("import.title"), Page: Import }, { path: "export", label: t("export.title"), Page: Export }] : []),
    { path: "webhooks", label: t("hooks.title"), Page: Webhooks },
    { path: "mail", label: t("mail.title"), Page: Mail },
    { path: "slow-requests", label: t("slow.title"), Page: SlowRequests },
    { path: "audit", label: t("audit.title"), Page: Audit },
  ];
  return <SectionPage path="/operation" title={t("title")} pages={pages} />;
}
