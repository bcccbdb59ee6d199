// What is shown once, to be copied: a link for a password, a token.

import { copyText } from "../core/clipboard";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { t } from "./words";

interface ShownOnceProps {
  title: string;
  text: string;
  /** What the value is. */
  label: string;
  value: string;
  onClose: () => void;
}

export function ShownOnce({ title, text, label, value, onClose }: ShownOnceProps) {
  const copy = async () => {
    await copyText(value);
    toast({ kind: "done", text: t("once.copied") });
  };
  return (
    <Dialog
      open
      stays
      size="small"
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button icon="copy" onClick={() => void copy().catch(toastError)}>
            {t("once.copy")}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {t("once.done")}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      <Field label={label}>{(wired) => <TextInput {...wired} readOnly mono value={value} onInput={() => undefined} onFocus={(event) => event.currentTarget.select()} />}</Field>
    </Dialog>
  );
}
