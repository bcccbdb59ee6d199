// Where suggestions of the language model are asked for: the menu of a field, and that of
// locales. The suggestions themselves are loaded when somebody asks for one.

import { t } from "../core/i18n";
import { schema } from "../core/schema";
import { lazy } from "../ui/lazy";
import { Menu, type MenuEntry } from "../ui/menu";
import type { FillProps } from "../suggestions/fill";
import { type FieldProps, useSheet } from "./context";
import { textOf } from "./form/shape";
import { localesOf } from "./locales/locales";

const { Lazy: Fill } = lazy<FillProps>(() => import("../suggestions/fill"), true);

/** The locales from which suggestions can be made, as a part of a menu; none where that is not possible. */
export function useSources(group: string, name: string | null): MenuEntry[] {
  const { editing, locked, wanted } = useSheet();
  if (!schema.value?.model || locked !== null || editing.isNew || !editing.type.localized) return [];
  const written = localesOf(editing).filter((each) => !each.isOpen && each.status !== null);
  return written.length === 0 ? [] : [{ group, items: written.map((each) => ({ label: each.name, onSelect: () => void (wanted.value = { from: each.code, name }) })) }];
}

/** The menu of a field with texts. */
export function FieldSuggestions({ path, attribute, form }: FieldProps) {
  const { wanted, locked } = useSheet();
  const { type, label, localized } = attribute;
  const sources = useSources(t("suggest.translate"), attribute.name);
  if (!schema.value?.model || locked !== null || attribute.readOnly || !/^(string|text|richtext|blocks|component|dynamiczone)$/.test(type)) return null;
  const items = path.length === 1 && localized ? sources : [];
  if (/text|string/.test(type)) {
    items.unshift({ label: t("suggest.shorten"), disabled: textOf(form.value(path).value).trim() === "", onSelect: () => (wanted.value = { path, attribute }) });
  }
  return items.length > 0 && <Menu label={t("suggest.menu", { label })} icon="spark" iconOnly button={{ small: true }} align="end" items={items} />;
}

/** The suggestions that somebody has asked for. */
export function Suggestions() {
  const sheet = useSheet();
  const { wanted } = sheet;
  return wanted.value && <Fill sheet={sheet} wanted={wanted.value} onClose={() => (wanted.value = null)} />;
}
