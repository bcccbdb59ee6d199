// What forms have in common: they are checked, then sent, and what is wrong is said at the
// field that it is about.

import { useState } from "preact/hooks";
import { ApiError } from "../core/api";
import { focusInvalid } from "./door";

/** What is wrong, by the field that it is about; "form" is for the form as a whole. */
export type Errors<Name extends string> = { [name in Name | "form"]?: string };

interface FormOptions<Name extends string> {
  /** What is wrong before it is sent; nothing is sent then. */
  check: () => Errors<Name>;
  /** Sends it; the form is gone, or says that it is done, when it resolves. */
  send: () => Promise<void>;
  /** Where an error of sending belongs, and what is said of it. */
  explain: (error: unknown) => Errors<Name>;
}

/** A form: what is wrong with it, whether it is being sent, and what sends it. */
export function useForm<Name extends string>({ check, send, explain }: FormOptions<Name>) {
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
      setErrors(explain(error));
      focusInvalid(form);
    }
    setBusy(false);
  };
  return { errors, busy, submit };
}

/** The server's error at the field that it names, or of which it names a part, else at the form. */
export function explainAt<Name extends string>(fields: readonly Name[]): (error: unknown) => Errors<Name> {
  return (error) => {
    const text = error instanceof Error ? error.message : String(error);
    const key = error instanceof ApiError ? error.details.key : undefined;
    const named = fields.find((name) => name === key || (typeof key === "string" && (key.startsWith(`${name}.`) || key.startsWith(`${name}[`))));
    return (named ? { [named]: text } : { form: text }) as Errors<Name>;
  };
}
