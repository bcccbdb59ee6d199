// A row of a list: its title opens the document, a click elsewhere selects it.

import { useComputed } from "@preact/signals";
import { t } from "../../core/i18n";
import { Link } from "../../core/router";
import { rowId, rowIndex } from "../../ui/grid";
import { Icon } from "../../ui/icon";
import { StatusBadge } from "../../ui/status";
import { loadEditor } from "../documents";
import { Cell, Clock, isNumeric, summary } from "./cells";
import type { Arranged } from "./columns";
import { narrow } from "./density";
import { labelOf } from "./labels";
import type { Entry, List } from "./model";

export function Row({ grid, list, index }: { grid: string; list: List; index: number }) {
  const active = useComputed(() => list.active.value === index);
  const entry = useComputed(() => {
    const rows = list.rows.value;
    return rows.version.value >= 0 ? rows.at(index) : undefined;
  });
  const selected = useComputed(() => entry.value !== undefined && list.isSelected(entry.value));
  const gone = useComputed(() => entry.value !== undefined && list.gone.value.has(entry.value.documentId));
  const shown = entry.value;
  const marks = `${active.value ? " active" : ""}${selected.value ? " selected" : ""}${gone.value ? " gone" : ""}`;
  return (
    <div
      id={rowId(grid, index)}
      class={`list-row${marks}`}
      role="row"
      aria-rowindex={rowIndex(index)}
      aria-selected={selected.value}
      onMouseDown={(event) => event.shiftKey && event.preventDefault()} // it marks no text
      onClick={(event) => clickOf(event, list, index)}
      onPointerEnter={() => void loadEditor()}
    >
      {shown &&
        (narrow.value ? (
          <Card list={list} entry={shown} selected={selected.value} />
        ) : (
          <Cells list={list} entry={shown} selected={selected.value} gone={gone.value} />
        ))}
    </div>
  );
}

function clickOf(event: MouseEvent, list: List, index: number) {
  if (event.target instanceof Element && event.target.closest("a, button")) return;
  if (event.target instanceof Element && event.target.closest("label") && !(event.target instanceof HTMLInputElement)) return;
  if (getSelection()?.type === "Range") return; // text was marked
  if (event.shiftKey) void list.selectTo(index);
  else list.select(index);
}

function Cells({ list, entry, selected, gone }: { list: List; entry: Entry; selected: boolean; gone: boolean }) {
  const problem = list.problems.value.get(entry.documentId);
  return (
    <>
      <Check list={list} entry={entry} selected={selected} />
      {list.columns.value.map((column, i) => (
        <div
          key={column.key}
          class={`list-cell${i === 0 ? " list-title" : ""}${isNumeric(column.attribute) ? " numeric" : ""}`}
          role="gridcell"
          aria-colindex={i + 2}
        >
          {i === 0 ? <Title list={list} entry={entry} /> : <Cell column={column} entry={entry} list={list} />}
          {i === 0 && gone && <span class="quiet-text">{t("list.gone")}</span>}
          {i === 0 && problem && (
            <span class="list-problem" data-tip={problem}>
              <Icon name="error" size={14} />
              <span class="visually-hidden">{problem}</span>
            </span>
          )}
        </div>
      ))}
    </>
  );
}

function Title({ list, entry }: { list: List; entry: Entry }) {
  const column = list.columns.value[0];
  const text = column?.attribute ? summary(column.attribute, entry[column.key], list.site) : "";
  return (
    <Link class={text ? "truncate" : "truncate untitled"} to={list.pathOf(entry)} tabIndex={-1} dir="auto">
      {text || t("list.untitled")}
    </Link>
  );
}

function Check({ list, entry, selected }: { list: List; entry: Entry; selected: boolean }) {
  return (
    <div class="list-check" role="gridcell" aria-colindex={1}>
      <label class="checkbox">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={selected}
          aria-label={t("list.select", { title: list.target(entry).title || t("list.untitled") })}
        />
      </label>
    </div>
  );
}

/** A row on a phone: title and status, below it what there is room for. */
function Card({ list, entry, selected }: { list: List; entry: Entry; selected: boolean }) {
  const state = list.stateOf(entry);
  const below = list.columns.value.filter((column, i) => i > 0 && column.attribute).slice(0, 3);
  return (
    <>
      <Check list={list} entry={entry} selected={selected} />
      <div class="list-cell list-card" role="gridcell" aria-colindex={2}>
        <Title list={list} entry={entry} />
        <span class="list-below quiet-text truncate">
          {below
            .map((column) => textOf(column, entry, list))
            .filter(Boolean)
            .join(" · ")}
        </span>
      </div>
      <div class="list-cell" role="gridcell" aria-colindex={3}>
        {state && <StatusBadge status={state.status} shapeOnly />}
        <Clock next={list.nextOf(entry)} />
      </div>
    </>
  );
}

function textOf(column: Arranged, entry: Entry, list: List): string {
  if (!column.attribute) return "";
  if (column.attribute.type === "boolean") return entry[column.key] === true ? labelOf(column) : "";
  return summary(column.attribute, entry[column.key], list.site);
}
