// Above the rows: search, status, filters, locale, columns.

import { useSignal } from "@preact/signals";
import type { ComponentType, RefObject } from "preact";
import { formatLocale, loadMessages, t } from "../../core/i18n";
import { piece } from "../../core/pieces";
import { navigate, segment } from "../../core/router";
import { maySite } from "../../core/session";
import type { DeletedProps } from "../../deleted/dialog";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Checkbox, Select, TextInput } from "../../ui/inputs";
import { lazy } from "../../ui/lazy";
import { Menu, Popover, type MenuEntry } from "../../ui/menu";
import { Sortable } from "../../ui/sortable";
import { toastError } from "../../ui/toasts";
import type { ViewsProps } from "../../views/views";
import { initial, moved, possible, toggled } from "./columns";
import { compact, narrow, setCompact } from "./density";
import { exportTable } from "./export";
import { AddFilter } from "./filters";
import { labelOf, statusLabel } from "./labels";
import type { Ask } from "./address";
import type { List } from "./model";
import type { Status } from "./question";

const { Lazy: Views } = lazy<ViewsProps>(() => import("../../views/views"));

/** The dialog of what was deleted, once it is loaded and open. */
type DeletedDialog = ComponentType<DeletedProps>;

export function Toolbar({ list, ask, search }: { list: List; ask: Ask; search: RefObject<HTMLInputElement | null> }) {
  const { type, site } = list;
  const question = list.question.value;
  const Deleted = useSignal<DeletedDialog | null>(null);
  const showDeleted = async () => {
    const loaded = await piece(() => import("../../deleted/dialog"));
    await loadMessages(); // of the piece, before it is shown
    Deleted.value = loaded.default;
  };
  return (
    <div class="list-tools" role="search" aria-label={t("list.tools")}>
      <div class="list-search">
        <Icon name="search" />
        <TextInput
          type="search"
          ref={search}
          aria-label={t("search")}
          placeholder={t("search")}
          spellcheck={false}
          autocomplete="off"
          value={question.search}
          onInput={(text) => ask({ search: text })}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || !question.search) return;
            event.preventDefault();
            ask({ search: "" });
          }}
        />
      </div>
      {type.draftAndPublish && <StatusMenu list={list} ask={ask} />}
      <AddFilter list={list} ask={ask} />
      <span class="list-space" />
      {type.localized && site.locales.length > 1 && (
        <Select
          class="list-locale-choice"
          aria-label={t("list.locale")}
          value={list.locale ?? ""}
          onInput={(locale) => ask({ locale })}
          options={site.locales.map(({ code }) => ({ value: code, label: narrow.value ? code : formatLocale(code) }))}
        />
      )}
      <Popover label={t("views")} icon="eye" iconOnly align="end">
        {(close) => (
          <div class="views">
            <Views list={list} ask={ask} close={close} />
          </div>
        )}
      </Popover>
      {!narrow.value && <Columns list={list} />}
      <Menu label={t("more")} icon="more" iconOnly align="end" items={more(list, () => void showDeleted().catch(toastError))} />
      {Deleted.value && <Deleted.value type={type} site={site} onClose={() => (Deleted.value = null)} onRestored={() => void list.refresh()} />}
    </div>
  );
}

function more(list: List, showDeleted: () => void): MenuEntry[] {
  return [
    { label: t("list.compact"), checked: compact.value, onSelect: () => setCompact(!compact.value) },
    { label: t("list.export"), icon: "download", onSelect: () => void exportTable(list).catch(toastError) },
    { label: t("list.refresh"), icon: "redo", onSelect: () => void list.refresh() },
    ...(maySite("arrange") ? [{ label: t("arrange.form-and-list"), icon: "grid" as const, onSelect: () => void navigate(`/arrange/${segment(list.type.uid)}`) }] : []),
    ...(list.site.history ? [{ label: t("list.deleted"), icon: "history" as const, onSelect: showDeleted }] : []),
  ];
}

const statuses: readonly Status[] = ["draft", "modified", "published", "scheduled"];

function StatusMenu({ list, ask }: { list: List; ask: Ask }) {
  const chosen = list.question.value.status;
  const offered = list.type.localized && list.site.locales.length > 1 ? [...statuses, "untranslated" as const] : statuses;
  return (
    <Menu
      label={chosen ? `${t("list.column.status")}: ${statusLabel(chosen)}` : t("list.any-status")}
      button={{ variant: chosen ? "secondary" : "quiet" }}
      items={[
        { label: t("list.any-status"), checked: chosen === null, onSelect: () => ask({ status: null }) },
        "line",
        ...offered.map((status) => ({ label: statusLabel(status), checked: chosen === status, onSelect: () => ask({ status }) })),
      ]}
    >
      {chosen ? statusLabel(chosen) : t("list.column.status")}
      <Icon name="down" size={14} />
    </Menu>
  );
}

/** Which columns there are, and in which order. */
function Columns({ list }: { list: List }) {
  const chosen = list.columns.value.map(({ key, chosenWidth }) => ({ key, width: chosenWidth }));
  const columns = possible(list.type, list.site);
  const shown = chosen.flatMap(({ key }) => columns.filter((column) => column.key === key));
  const others = columns.filter((column) => !shown.includes(column));
  const [title, ...movable] = shown;
  return (
    <Popover label={t("list.columns")} icon="columns" iconOnly align="end">
      {() => (
        <div class="list-columns">
          <h2>{t("list.columns")}</h2>
          <Checkbox checked disabled onInput={() => undefined}>
            {title && labelOf(title)}
          </Checkbox>
          <Sortable
            label={t("list.columns-shown")}
            items={movable}
            keyOf={(column) => column.key}
            nameOf={labelOf}
            onMove={(from, to) => list.choose(moved(chosen, movable[from]?.key ?? "", to + 1))}
          >
            {(column, handle) => (
              <div class="list-column">
                <Checkbox checked onInput={() => list.choose(toggled(chosen, column.key))}>
                  {labelOf(column)}
                </Checkbox>
                {handle}
              </div>
            )}
          </Sortable>
          {others.length > 0 && <hr />}
          {others.map((column) => (
            <Checkbox key={column.key} checked={false} onInput={() => list.choose(toggled(chosen, column.key))}>
              {labelOf(column)}
            </Checkbox>
          ))}
          <Button small variant="quiet" onClick={() => list.choose(undefined)} disabled={sameKeys(chosen, initial(list.type, list.site))}>
            {t("list.columns-reset")}
          </Button>
        </div>
      )}
    </Popover>
  );
}

function sameKeys(a: readonly { key: string; width?: number }[], b: readonly { key: string }[]): boolean {
  return a.length === b.length && a.every((column, i) => column.key === b[i]?.key && column.width === undefined);
}
