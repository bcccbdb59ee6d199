// The locale that is edited, and the way to the others, in the bar.

import { t } from "../../core/i18n";
import { Menu, type MenuEntry } from "../../ui/menu";
import { useSheet } from "../context";
import { useSources } from "../suggesting";
import { besideOf, localesOf, openLocale, showBeside } from "./locales";

export function LocaleMenu() {
  const { editing } = useSheet();
  const sources = useSources(t("suggest.fill"), null);
  const locales = localesOf(editing);
  const open = locales.find((each) => each.isOpen);
  if (locales.length < 2 || !open) return null;
  const beside = besideOf(editing);
  const written = locales.filter((each) => !each.isOpen && each.status !== null);
  const items: MenuEntry[] = [
    {
      group: t("locales.edit"),
      items: locales.map((each) => ({
        label: each.status ? `${each.name} · ${t(`status.${each.status}`)}` : `${each.name} · ${t("locales.missing")}`,
        checked: each.isOpen,
        onSelect: () => !each.isOpen && openLocale(editing, each.code),
      })),
    },
  ];
  if (written.length > 0) {
    items.push({
      group: t("locales.beside"),
      items: [
        ...written.map((each) => ({ label: each.name, checked: beside === each.code, onSelect: () => showBeside(editing, each.code) })),
        { label: t("locales.none"), checked: beside === null, onSelect: () => showBeside(editing, null) },
      ],
    });
  }
  items.push(...sources);
  return (
    <Menu label={t("locales.menu", { name: open.name })} icon="globe" button={{ variant: "quiet", small: true }} items={items}>
      {open.name}
    </Menu>
  );
}
