// The form of a new API token.

import { useEffect, useId, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { t as common } from "../core/i18n";
import { focusInvalid, FormError } from "../screens/door";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Select, TextInput } from "../ui/inputs";
import { PermissionList } from "./permission-list";
import type { TokenType } from "./tokens";
import { t } from "./words";

/** A new token with what it is. */
export interface MadeToken {
  name: string;
  token: string;
}

interface TokenFormProps {
  onClose: () => void;
  onMade: (made: MadeToken) => Promise<void>;
}

const types: readonly TokenType[] = ["read-only", "full-access", "custom"];
const lifetimes = ["30", "90", "365", ""] as const; // in days, "" for ever

type Errors = { [name in "name" | "type" | "permissions" | "days" | "form"]?: string };

export function TokenForm({ onClose, onMade }: TokenFormProps) {
  const id = useId();
  const [name, setName] = useState("");
  const [type, setType] = useState<TokenType>("read-only");
  const [days, setDays] = useState<string>("90");
  const [all, setAll] = useState<string[]>([]);
  const [held, setHeld] = useState<string[]>([]);
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    request<{ permissions: string[] }>("GET", "/permissions").then(
      ({ data }) => setAll(data.permissions),
      (error: unknown) => setErrors(explain(error)),
    );
  }, []);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const wrong: Errors = {
      ...(name.trim() === "" && { name: t("role.name-missing") }),
      ...(type === "custom" && held.length === 0 && { permissions: t("tokens.permissions-missing") }),
    };
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return focusInvalid(form);
    setBusy(true);
    try {
      const body = { name, type, days: days === "" ? null : Number(days), ...(type === "custom" && { permissions: held }) };
      await onMade((await request<MadeToken>("POST", "/tokens", { body })).data);
    } catch (error) {
      setErrors(explain(error));
      setBusy(false);
      focusInvalid(form);
    }
  };
  return (
    <Dialog
      open
      title={t("tokens.add")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button variant="primary" type="submit" form={id} busy={busy}>
            {t("tokens.add")}
          </Button>
        </>
      }
    >
      <form id={id} class="form" noValidate onSubmit={submit}>
        <FormError text={errors.form ?? errors.permissions ?? ""} />
        <Field label={t("accounts.name")} required help={t("tokens.name-help")} errors={errors.name ? [errors.name] : []}>
          {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
        </Field>
        <Field label={t("tokens.type")} help={t(`tokens.help.${type}`)} errors={errors.type ? [errors.type] : []}>
          {(wired) => <Select {...wired} value={type} onInput={(value) => setType(value as TokenType)} options={types.map((value) => ({ value, label: t(`tokens.type.${value}`) }))} />}
        </Field>
        <Field label={t("tokens.lifetime")} errors={errors.days ? [errors.days] : []}>
          {(wired) => (
            <Select {...wired} value={days} onInput={setDays} options={lifetimes.map((value) => ({ value, label: value === "" ? t("tokens.for-ever") : t("tokens.days", { n: Number(value) }) }))} />
          )}
        </Field>
        {type === "custom" && <PermissionList all={all} held={held} onChange={setHeld} />}
      </form>
    </Dialog>
  );
}

/** The server's error at the field that it names, else at the form. */
function explain(error: unknown): Errors {
  const text = error instanceof Error ? error.message : String(error);
  const key = error instanceof ApiError ? error.details.key : undefined;
  return key === "name" || key === "type" || key === "days" || key === "permissions" ? { [key]: text } : { form: text };
}
