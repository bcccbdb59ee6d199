// The first account, and a new password: pages that a link with a token opens.

import { t } from "../core/i18n";
import { place, useTitle } from "../core/router";
import { Door } from "./door";

export function SetUp() {
  useTitle(t("setup.title"));
  return <Door title={t("setup.title")}>{!place.value.hash && <p class="notice">{t("setup.no-token")}</p>}</Door>;
}
