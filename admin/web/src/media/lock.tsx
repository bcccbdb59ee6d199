// What shows that a folder or a file is private.

import { Icon } from "../ui/icon";
import { t } from "./words";

export function Lock() {
  return (
    <span class="media-lock" data-tip={t("folders.private")}>
      <Icon name="lock" size={14} />
      <span class="visually-hidden">{t("folders.private")}</span>
    </span>
  );
}
