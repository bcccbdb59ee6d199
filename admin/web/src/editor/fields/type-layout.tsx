// The form of a type: its fields in rows or, where somebody has arranged it, in tabs and
// groups.

import type { ComponentChild } from "preact";
import { useId } from "preact/hooks";
import { t } from "../../core/i18n";
import type { ContentType, LayoutRow } from "../../core/schema";
import { Icon } from "../../ui/icon";
import { Tabs } from "../../ui/tabs";
import { useSheet } from "../context";
import type { FormStore } from "../form/form";
import { type AnyField, Layout } from "./layout";

export interface TypeLayoutProps {
  Field: AnyField;
  form: FormStore;
  type: ContentType;
  /** The title is in a row of its own at the top, unless somebody has arranged the form. */
  titleFirst?: boolean;
}

type Tab = NonNullable<ContentType["layout"]["tabs"]>[number];

export function TypeLayout({ Field, form, type, titleFirst }: TypeLayoutProps) {
  const { tabs, edit } = type.layout;
  const rest = { Field, form, path: [] };
  if (!tabs) return <Layout {...rest} attributes={type.attributes} layout={titleFirst ? withTitleFirst(type) : edit} />;
  const placed = namesIn(edit);
  const apart = type.attributes.filter(({ name }) => !placed.has(name));
  return (
    <>
      {apart.length > 0 && <Layout {...rest} attributes={apart} layout={[]} />}
      <TabbedGroups {...{ Field, form, type, tabs }} />
    </>
  );
}

function withTitleFirst(type: ContentType): LayoutRow[] {
  const rest = type.layout.edit.map((row) => row.filter(({ name }) => name !== type.mainField));
  return [[{ name: type.mainField, size: 12 }], ...rest];
}

const namesIn = (rows: readonly LayoutRow[]): Set<string> => new Set(rows.flat().map(({ name }) => name));

/** The parts of a form. Those with something wrong have a mark. */
function TabbedGroups({ Field, form, type, tabs }: TypeLayoutProps & { tabs: readonly Tab[] }) {
  const { tab } = useSheet();
  const at = Math.min(tab.value, tabs.length - 1);
  const groups = <Groups {...{ Field, form, type }} groups={tabs[at]?.groups ?? []} />;
  if (tabs.length < 2) return groups;
  const wrong = new Set(form.problems.visible().map(({ path }) => String(path[0])));
  const label = ({ label, groups }: Tab, i: number) => (
    <>
      {label || t("form.tab", { n: i + 1 })}
      {groups.some(({ rows }) => [...namesIn(rows)].some((name) => wrong.has(name))) && (
        <span class="tab-wrong">
          <Icon name="error" size={14} />
          <span class="visually-hidden">{t("form.tab-wrong")}</span>
        </span>
      )}
    </>
  );
  return (
    <Tabs label={t("form.tabs")} tabs={tabs.map((one, i) => ({ key: String(i), label: label(one, i) }))} chosen={String(at)} onChoose={(key) => (tab.value = Number(key))}>
      {groups}
    </Tabs>
  );
}

function Groups({ Field, form, type, groups }: Omit<TypeLayoutProps, "titleFirst"> & { groups: Tab["groups"] }) {
  return (
    <div class="form-groups">
      {groups.map(({ label, rows }) => {
        const placed = namesIn(rows);
        return <Group key={[...placed][0]} label={label} fields={<Layout Field={Field} form={form} path={[]} attributes={type.attributes.filter(({ name }) => placed.has(name))} layout={rows} />} />;
      })}
    </div>
  );
}

function Group({ label, fields }: { label: string; fields: ComponentChild }) {
  const id = useId();
  if (!label) return <>{fields}</>;
  return (
    <section class="form-group" aria-labelledby={id}>
      <h2 id={id}>{label}</h2>
      {fields}
    </section>
  );
}
