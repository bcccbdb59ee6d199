// The list of a type as it is arranged for everybody: the title of its entries, its columns.

import type { ContentType } from "../core/schema";
import { schema } from "../core/schema";
import { initial, possible } from "../screens/list/columns";
import { labelOf } from "../screens/list/labels";
import { SectionPart } from "../screens/section";
import { Button, IconButton } from "../ui/button";
import { Field } from "../ui/field";
import { Select } from "../ui/inputs";
import { moved } from "../ui/moved";
import { Sortable } from "../ui/sortable";
import type { PartProps } from "./form-lines";
import { t } from "./words";

const titles = new Set(["string", "text", "email", "uid", "enumeration"]);

export function ListPart({ type, draft, onChange }: PartProps & { type: ContentType }) {
  const site = schema.value;
  if (!site) return null;
  const { columns } = draft;
  const all = possible(type, site);
  const nameOf = (key: string) => {
    const column = all.find((one) => one.key === key);
    return column ? labelOf(column) : key;
  };
  const shown = columns.length > 0 ? columns : initial(type, site).map(({ key }) => key);
  return (
    <SectionPart
      title={t("list")}
      text={t("list-text")}
      actions={
        columns.length > 0 && (
          <Button variant="quiet" onClick={() => onChange({ columns: [] })}>
            {t("columns-usual")}
          </Button>
        )
      }
    >
      <Field label={t("entry-title")} help={t("entry-title-help")}>
        {(wired) => (
          <Select
            {...wired}
            value={draft.title}
            onInput={(title) => onChange({ title })}
            options={[{ value: "", label: t("entry-title-usual") }, ...type.attributes.filter((a) => titles.has(a.type)).map(({ name, label }) => ({ value: name, label }))]}
          />
        )}
      </Field>
      <h3>{t("columns")}</h3>
      <Sortable class="arrange-lines" label={t("columns")} items={shown} keyOf={(key) => key} nameOf={nameOf} onMove={(from, to) => onChange({ columns: moved(shown, from, to) })}>
        {(key, handle) => (
          <div class="arrange-line of-field">
            {handle}
            <span class="arrange-name">{nameOf(key)}</span>
            {shown.length > 1 && <IconButton icon="close" label={t("remove", { name: nameOf(key) })} onClick={() => onChange({ columns: shown.filter((one) => one !== key) })} />}
          </div>
        )}
      </Sortable>
      <Select
        aria-label={t("column-add")}
        value=""
        onInput={(key) => key && onChange({ columns: [...shown, key] })}
        options={[{ value: "", label: t("column-add") }, ...all.filter(({ key }) => !shown.includes(key)).map(({ key }) => ({ value: key, label: nameOf(key) }))]}
      />
    </SectionPart>
  );
}
