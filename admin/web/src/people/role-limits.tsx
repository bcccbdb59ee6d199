// How the rights of a role on a type are limited: documents, locales, attributes.

import { useState } from "preact/hooks";
import { formatLocale } from "../core/i18n";
import { componentOf, schema, type ContentType } from "../core/schema";
import { hasWords, wordsOf } from "../core/words";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Checkbox, Select, TextInput } from "../ui/inputs";
import { attributePaths, seenOf, withSeen, withWord, type Seen, type TypeRights } from "./rights";
import { RoleWhere } from "./role-where";
import { t } from "./words";

interface RoleLimitsProps {
  name: string;
  /** null for all other types, which have no attributes in common. */
  type: ContentType | null;
  rights: TypeRights;
  fixed: boolean;
  onChange: (rights: TypeRights) => void;
  onClose: () => void;
}

const ways: readonly Seen[] = ["changed", "readOnly", "hidden"];

/** From how many attributes on a filter helps. */
const many = 12;

export function RoleLimits({ name, type, rights, fixed, onChange, onClose }: RoleLimitsProps) {
  return (
    <Dialog
      open
      title={t("role.limits", { type: name })}
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("once.done")}
        </Button>
      }
    >
      <fieldset class="form" disabled={fixed}>
        {type?.uid !== schema.value?.users?.uid && <RoleWhere type={type} rights={rights} onChange={onChange} />}
        {(type?.localized ?? true) && <Locales rights={rights} onChange={onChange} />}
        {type && <Attributes type={type} rights={rights} onChange={onChange} />}
      </fieldset>
    </Dialog>
  );
}

type Changes = Pick<RoleLimitsProps, "rights" | "onChange">;

function Locales({ rights, onChange }: Changes) {
  const codes = (schema.value?.locales ?? []).map((locale) => locale.code);
  const chosen = rights.locales;
  return (
    <fieldset class="role-words">
      <legend>{t("role.locales")}</legend>
      <Checkbox checked={chosen === null} onInput={(all) => onChange({ ...rights, locales: all ? null : codes })}>
        {t("role.locales-all")}
      </Checkbox>
      {chosen !== null &&
        codes.map((code) => (
          <Checkbox key={code} checked={chosen.includes(code)} onInput={(there) => onChange({ ...rights, locales: withWord(chosen, codes, code, there) })}>
            {formatLocale(code)}
          </Checkbox>
        ))}
    </fieldset>
  );
}

function Attributes({ type, rights, onChange }: Changes & { type: ContentType }) {
  const [filter, setFilter] = useState("");
  const paths = attributePaths(type, componentOf);
  const shown = paths.filter((one) => hasWords(`${one.label} ${one.path}`, wordsOf(filter)));
  return (
    <fieldset class="role-attributes">
      <legend>{t("role.attributes")}</legend>
      {paths.length >= many && <TextInput type="search" aria-label={t("role.filter")} placeholder={t("role.filter")} value={filter} onInput={setFilter} />}
      {shown.map(({ path, label }) => (
        <div key={path} class="role-attribute">
          <span>
            {label} <code class="quiet-text">{path}</code>
          </span>
          <Select
            aria-label={t("role.seen-of", { attribute: label })}
            value={seenOf(rights, path)}
            onInput={(seen) => onChange(withSeen(rights, path, seen as Seen))}
            options={ways.map((way) => ({ value: way, label: t(`role.seen.${way}`) }))}
          />
        </div>
      ))}
    </fieldset>
  );
}
