// A dialog with a form: its buttons, what is wrong with it as a whole, and sending it.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { ApiError } from "../core/api";
import { t as common } from "../core/i18n";
import { focusInvalid, FormError } from "../screens/door";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";

/** What is wrong, by the field that it is about; "form" is for the form as a whole. */
export type Errors<Name extends string> = { [name in Name | "form"]?: string };

interface FormDialogProps<Name extends string> {
  title: string;
  /** The verb on the button that sends it. */
  action: string;
  size?: "small" | "medium";
  /** What the server's errors may name: details.key. */
  fields: readonly Name[];
  /** What is wrong before it is sent; nothing is sent then. */
  check: () => Errors<Name>;
  /** Sends it; the dialog is gone when it resolves. */
  send: () => Promise<void>;
  onClose: () => void;
  children: (errors: { readonly [name in Name]: string[] }) => ComponentChildren;
}

export function FormDialog<Name extends string>({ title, action, size = "small", fields, check, send, onClose, children }: FormDialogProps<Name>) {
  const id = useId();
  const [errors, setErrors] = useState<Errors<Name>>({});
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const wrong = check();
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return focusInvalid(form);
    setBusy(true);
    try {
      await send();
    } catch (error) {
      setErrors(explain(error, fields));
      setBusy(false);
      focusInvalid(form);
    }
  };
  const listed = Object.fromEntries(fields.map((name) => [name, errors[name] ? [errors[name]] : []])) as { [name in Name]: string[] };
  return (
    <Dialog
      open
      size={size}
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button variant="primary" type="submit" form={id} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} class="form" noValidate onSubmit={submit}>
        <FormError text={errors.form ?? ""} />
        {children(listed)}
      </form>
    </Dialog>
  );
}

/** The server's error at the field that it names, else at the form. */
function explain<Name extends string>(error: unknown, fields: readonly Name[]): Errors<Name> {
  const text = error instanceof Error ? error.message : String(error);
  const key = error instanceof ApiError ? error.details.key : undefined;
  const named = fields.find((name) => name === key);
  return (named ? { [named]: text } : { form: text }) as Errors<Name>;
}
