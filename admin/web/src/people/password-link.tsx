// A link with which somebody chooses a password: it is shown once, to be passed on.

import { copyText } from "../core/clipboard";
import { formatDateTime } from "../core/i18n";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { toast } from "../ui/toasts";
import { t } from "./words";

export interface ResetLink {
  /** At this host. */
  path: string;
  expiresAt: string;
}

export function PasswordLink({ link, name, onClose }: { link: ResetLink; name: string; onClose: () => void }) {
  const url = new URL(link.path, location.href).href;
  const copy = async () => {
    await copyText(url);
    toast({ kind: "done", text: t("link.copied") });
  };
  return (
    <Dialog
      open
      size="small"
      title={t("link.title", { name })}
      onClose={onClose}
      footer={
        <>
          <Button icon="copy" onClick={() => void copy()}>
            {t("link.copy")}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {t("link.done")}
          </Button>
        </>
      }
    >
      <p>{t("link.text", { name, when: formatDateTime(link.expiresAt) })}</p>
      <Field label={t("link.label")}>{(wired) => <TextInput {...wired} readOnly mono value={url} onInput={() => undefined} onFocus={(event) => event.currentTarget.select()} />}</Field>
    </Dialog>
  );
}
