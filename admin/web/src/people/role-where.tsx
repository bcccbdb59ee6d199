// Which documents of a type a role reaches: all, its own, or those whose attributes have a value.

import { schema, type ContentType } from "../core/schema";
import { Button, IconButton } from "../ui/button";
import { Select, TextInput } from "../ui/inputs";
import { isBroken, withWhich, whichOf, type TypeRights, type Where, type Which } from "./rights";
import { t } from "./words";

interface RoleWhereProps {
  /** null for all other types. */
  type: ContentType | null;
  rights: TypeRights;
  onChange: (rights: TypeRights) => void;
}

const choices: readonly Which[] = ["all", "own", "where"];

export function RoleWhere({ type, rights, onChange }: RoleWhereProps) {
  const names = attributesFor(type);
  const which = whichOf(rights);
  const conditions = rights.where ?? [];
  const put = (at: number, changed: Where | null) => onChange({ ...rights, where: conditions.flatMap((one, i) => (i !== at ? [one] : changed ? [changed] : [])) });
  return (
    <fieldset class="role-words">
      <legend>{t("role.which")}</legend>
      <Select
        aria-label={t("role.which")}
        value={which}
        onInput={(chosen) => onChange(withWhich(rights, chosen as Which, names[0] ?? ""))}
        options={choices.filter((one) => one !== "where" || names.length > 0 || which === "where").map((one) => ({ value: one, label: t(`role.which.${one}`) }))}
      />
      <p class="field-help">{t(`role.which-text.${which}`)}</p>
      {conditions.map((one, at) => (
        <Condition key={at} of={one} type={type} names={names} onChange={(changed) => put(at, changed)} />
      ))}
      {which === "where" && (
        <Button small onClick={() => onChange({ ...rights, where: [...conditions, { attribute: names[0] ?? "", is: "" }] })}>
          {t("role.where-add")}
        </Button>
      )}
    </fieldset>
  );
}

interface ConditionProps {
  of: Where;
  type: ContentType | null;
  names: readonly string[];
  /** null removes it. */
  onChange: (changed: Where | null) => void;
}

function Condition({ of, type, names, onChange }: ConditionProps) {
  const broken = type !== null && isBroken(type, of);
  const options = names.includes(of.attribute) ? names : [of.attribute, ...names];
  const account = of.account !== undefined;
  return (
    <div class="role-condition">
      <Select aria-label={t("role.where-attribute")} value={of.attribute} onInput={(attribute) => onChange({ ...of, attribute })} options={options.map((value) => ({ value, label: value }))} />
      <Select
        aria-label={t("role.where-kind")}
        value={account ? "account" : "is"}
        onInput={(kind) => onChange(kind === "account" ? { attribute: of.attribute, account: "" } : { attribute: of.attribute, is: "" })}
        options={[
          { value: "is", label: t("role.where-is") },
          { value: "account", label: t("role.where-account") },
        ]}
      />
      <TextInput
        aria-label={t(account ? "role.where-name" : "role.where-value")}
        value={of.account ?? of.is ?? ""}
        onInput={(text) => onChange(account ? { attribute: of.attribute, account: text } : { attribute: of.attribute, is: text })}
      />
      <IconButton small icon="close" label={t("role.where-remove")} onClick={() => onChange(null)} />
      {broken && <p class="field-error">{t("role.where-broken", { attribute: of.attribute })}</p>}
    </div>
  );
}

const kinds = ["string", "text", "email", "uid", "enumeration", "integer", "biginteger", "boolean"];

/** The attributes that a condition can be about; for all other types, those of any. */
function attributesFor(type: ContentType | null): string[] {
  const types = type ? [type] : (schema.value?.types ?? []);
  return [...new Set(types.flatMap((one) => one.attributes.filter((a) => kinds.includes(a.type)).map((a) => a.name)))];
}
