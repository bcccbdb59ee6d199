// The first screen: what the user was doing, and what has changed.

import { t } from "../core/i18n";
import { useTitle } from "../core/router";

export function Home() {
  useTitle(t("home.title"));
  return (
    <div class="page">
      <h1>{t("home.title")}</h1>
    </div>
  );
}
