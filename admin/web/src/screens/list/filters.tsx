// Filters: what narrows a list down, in words that can be changed and taken away.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../core/i18n";
import { schema, type Attribute } from "../../core/schema";
import { Button, IconButton } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { Popover } from "../../ui/menu";
import { FilterForm } from "./filter-form";
import { pathLabel, statusLabel, words } from "./labels";
import type { Ask } from "./address";
import type { List } from "./model";
import { attributesBehind, kindOf, resolve, systemAttributes } from "./operators";
import { everything, narrows, type Filter } from "./question";
import { assigneesOf, reviewAttributes } from "./reviews";
import { fetchTitles, rememberTitle, titles } from "./titles";

/** The button that adds a filter: first what it is about, then what is asked of it. */
export function AddFilter({ list, ask }: { list: List; ask: Ask }) {
  const path = useSignal<readonly string[] | null>(null);
  return (
    <Popover label={t("list.filter")} icon="filter" button={{ variant: "quiet" }}>
      {(close) =>
        path.value ? (
          <FilterForm
            list={list}
            path={path.value}
            onBack={() => (path.value = null)}
            onApply={(filter) => {
              path.value = null;
              close();
              ask({ filters: [...list.question.value.filters, filter] });
            }}
          />
        ) : (
          <div class="list-filter">
            <Combobox
              label={t("list.filter-by")}
              placeholder={t("list.filter-by")}
              autofocus
              search={(text) => pathsFor(list, text)}
              keyOf={(option) => option.path.join(".")}
              show={(option) => option.label}
              onChoose={(option) => (path.value = option.path)}
            />
          </div>
        )
      }
    </Popover>
  );
}

interface Choice {
  path: readonly string[];
  label: string;
}

const mostChoices = 60;

/** The attributes that can be filtered by and whose names hold a text; those of the type itself first. */
function pathsFor(list: List, text: string): Choice[] {
  const own = [...reviewAttributes(list.type), ...list.type.attributes, ...systemAttributes(list.type)];
  const paths = [
    ...own.map((attribute) => [attribute]),
    ...own.flatMap((attribute) => (attributesBehind(attribute, list.site) ?? []).map((inner) => [attribute, inner])),
  ];
  return paths
    .filter(canFilter)
    .map(choice)
    .filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, mostChoices);
}

function canFilter(attributes: readonly Attribute[]): boolean {
  const last = attributes.at(-1);
  if (!last || kindOf(last) === null) return false;
  return attributes.length === 1 || last.type !== "relation"; // one level into the related type
}

function choice(attributes: readonly Attribute[]): Choice {
  return { path: attributes.map(({ name }) => name), label: pathLabel(attributes) };
}

/** All that narrows the list down, but for the search, which its field shows. */
export function Chips({ list, ask }: { list: List; ask: Ask }) {
  const question = list.question.value;
  useTitlesOf(list, question.filters);
  if (question.filters.length === 0 && !question.status) return null;
  const without = (at: number) => question.filters.filter((_, i) => i !== at);
  return (
    <ul class="list-chips" aria-label={t("list.filters")}>
      {question.status && (
        <li class="chip">
          <span class="chip-text">{`${t("list.column.status")} ${t("list.operator.is")} ${statusLabel(question.status)}`}</span>
          <IconButton small icon="close" label={t("list.remove-filter", { name: t("list.column.status") })} onClick={() => ask({ status: null })} />
        </li>
      )}
      {question.filters.map((filter, at) => (
        <FilterChip
          key={`${at} ${filter.path.join(".")}`}
          list={list}
          filter={filter}
          change={(changed) => ask({ filters: question.filters.with(at, changed) })}
          remove={() => ask({ filters: without(at) })}
        />
      ))}
      {narrows(question) && (
        <li>
          <Button small variant="quiet" onClick={() => ask({ ...everything, locale: question.locale, order: question.order })}>
            {t("list.clear-all")}
          </Button>
        </li>
      )}
    </ul>
  );
}

function FilterChip({ list, filter, change, remove }: { list: List; filter: Filter; change: (filter: Filter) => void; remove: () => void }) {
  const text = words(filter, list.type, list.site, titles.value);
  const known = resolve(filter.path, list.type, list.site) !== null;
  return (
    <li class="chip">
      {known ? (
        <Popover label={t("list.edit-filter", { name: text })} trigger={text} button={{ variant: "quiet", small: true, class: "chip-text" }}>
          {(close) => (
            <FilterForm
              list={list}
              path={filter.path}
              filter={filter}
              onApply={(changed) => {
                close();
                change(changed);
              }}
            />
          )}
        </Popover>
      ) : (
        <span class="chip-text">{text}</span>
      )}
      <IconButton small icon="close" label={t("list.remove-filter", { name: text })} onClick={remove} />
    </li>
  );
}

/** Fetches the titles of the documents that filters name. */
function useTitlesOf(list: List, filters: readonly Filter[]) {
  useEffect(() => {
    for (const filter of filters) {
      const last = resolve(filter.path, list.type, list.site)?.at(-1);
      if (last?.name === "__assignee") assigneesOf(list.type.uid, list.locale).then((people) => people.forEach(({ id, name }) => rememberTitle({ documentId: id, title: name })), () => undefined); // ids stand in
      const target = last?.type === "relation" && schema.peek()?.types.find((type) => type.uid === last.target);
      if (target && filter.values.length > 0) fetchTitles(filter.values, target, list.locale, list.site).catch(() => undefined); // ids stand in
    }
  }, [filters, list]);
}
