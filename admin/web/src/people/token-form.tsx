// The form of a new API token.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { FormError } from "../screens/door";
import { FormDialog } from "../screens/form-dialog";
import { Field } from "../ui/field";
import { Select, TextInput } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { PermissionList } from "./permission-list";
import type { Permissions } from "./permissions";
import { t } from "./words";

export type TokenType = "full-access" | "read-only" | "custom";

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

export function TokenForm({ onClose, onMade }: TokenFormProps) {
  const [name, setName] = useState("");
  const [type, setType] = useState<TokenType>("read-only");
  const [days, setDays] = useState<string>("90");
  const [all, setAll] = useState<string[]>([]);
  const [held, setHeld] = useState<string[]>([]);
  useEffect(() => {
    request<Permissions>("GET", "/permissions").then(({ data }) => setAll([...data.permissions, ...data.tokensOnly]), toastError);
  }, []);
  const check = () => ({
    ...(name.trim() === "" && { name: t("role.name-missing") }),
    ...(type === "custom" && held.length === 0 && { permissions: t("tokens.permissions-missing") }),
  });
  const send = async () => {
    const body = { name, type, days: days === "" ? null : Number(days), ...(type === "custom" && { permissions: held }) };
    await onMade((await request<MadeToken>("POST", "/tokens", { body })).data);
  };
  return (
    <FormDialog title={t("tokens.add")} action={t("tokens.add")} size="medium" fields={["name", "type", "days", "permissions"]} check={check} send={send} onClose={onClose}>
      {(errors) => (
        <>
          <Field label={t("accounts.name")} required help={t("tokens.name-help")} errors={errors.name}>
            {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
          </Field>
          <Field label={t("tokens.type")} help={t(`tokens.help.${type}`)} errors={errors.type}>
            {(wired) => <Select {...wired} value={type} onInput={(value) => setType(value as TokenType)} options={types.map((value) => ({ value, label: t(`tokens.type.${value}`) }))} />}
          </Field>
          <Field label={t("tokens.lifetime")} errors={errors.days}>
            {(wired) => (
              <Select {...wired} value={days} onInput={setDays} options={lifetimes.map((value) => ({ value, label: value === "" ? t("tokens.for-ever") : t("tokens.days", { n: Number(value) }) }))} />
            )}
          </Field>
          <FormError text={errors.permissions[0] ?? ""} />
          {type === "custom" && <PermissionList all={all} held={held} onChange={setHeld} />}
        </>
      )}
    </FormDialog>
  );
}
