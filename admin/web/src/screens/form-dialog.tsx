// A dialog with a form: its buttons, and what is wrong with it as a whole.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t as common } from "../core/i18n";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { FormError } from "./door";
import { explainAt, useForm, type Errors } from "./form";

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
  const { errors, busy, submit } = useForm({ check, send, explain: explainAt(fields) });
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
