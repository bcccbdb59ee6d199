// What is said above the form: what was restored, what cannot be done, what waits.

import { formatAgo, t } from "../core/i18n";
import { online } from "../core/session";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { discardTyped } from "./actions";
import { useSheet } from "./context";

export function Notices() {
  const { editing, locked } = useSheet();
  const restored = editing.restored.value;
  return (
    <>
      {locked && (
        <p class="notice">
          <Icon name="lock" />
          <span>{locked}</span>
        </p>
      )}
      {editing.lost.value.length > 0 && (
        <div class="notice warning" role="status">
          <Icon name="warning" />
          <span>{t("editor.lost", { n: editing.lost.value.length, fields: editing.lost.value.join(", ") })}</span>
          <Button small onClick={() => (editing.lost.value = [])}>
            {t("close")}
          </Button>
        </div>
      )}
      {restored && !locked && (
        <div class="notice" role="status">
          <Icon name="history" />
          <span>{t(restored.elsewhere ? "restored.elsewhere" : "restored.here", { ago: formatAgo(restored.savedAt) })}</span>
          <Button small onClick={() => discardTyped(editing)}>
            {t("restored.discard")}
          </Button>
        </div>
      )}
      {editing.saving.value === "waiting" && online.value && (
        <p class="notice warning" role="status">
          <Icon name="offline" />
          <span>{t("editor.waiting-text")}</span>
        </p>
      )}
      {editing.gone.value && (
        <div class="notice warning" role="alert">
          <Icon name="warning" />
          <span>{t("editor.gone")}</span>
          <Button small onClick={() => void editing.save()}>
            {t("editor.save-new")}
          </Button>
        </div>
      )}
    </>
  );
}
