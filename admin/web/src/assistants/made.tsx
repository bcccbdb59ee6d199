// A new assistant: what its program asks for, shown once.

import { copyText } from "../core/clipboard";
import { Button, IconButton } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import type { Assistant } from "./assistant";
import { t } from "./words";

export interface Made extends Assistant {
  token: string;
}

export function MadeDialog({ made, address, onClose }: { made: Made; address: string; onClose: () => void }) {
  const settings = JSON.stringify({ mcpServers: { quire: { type: "http", url: address, headers: { Authorization: `Bearer ${made.token}` } } } });
  return (
    <Dialog
      open
      stays
      size="medium"
      title={t("made.title", { name: made.name })}
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("made.done")}
        </Button>
      }
    >
      <div class="form">
        <p>{t("made.text")}</p>
        <Copied label={t("made.address")} value={address} />
        <Copied label={t("made.token")} value={made.token} />
        <Copied label={t("made.settings")} value={settings} />
      </div>
    </Dialog>
  );
}

function Copied({ label, value }: { label: string; value: string }) {
  const copy = async () => {
    await copyText(value);
    toast({ kind: "done", text: t("made.copied") });
  };
  return (
    <Field label={label}>
      {(wired) => (
        <div class="input-with-button">
          <TextInput {...wired} readOnly mono value={value} onInput={() => undefined} onFocus={(event) => event.currentTarget.select()} />
          <IconButton small icon="copy" label={t("made.copy", { what: label })} onClick={() => void copy().catch(toastError)} />
        </div>
      )}
    </Field>
  );
}
