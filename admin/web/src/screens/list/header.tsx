// The row of headers: they sort, and are dragged to another place or width.

import { useSignal, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../core/i18n";
import { announce } from "../../core/live-region";
import type { ContentType, Site } from "../../core/schema";
import { isRightToLeft, leftToRight } from "../../ui/direction";
import { Checkbox } from "../../ui/inputs";
import { Icon } from "../../ui/icon";
import { isNumeric } from "./cells";
import { moved, withinBounds, type Arranged, type Column } from "./columns";
import { labelOf } from "./labels";
import type { List } from "./model";
import type { Order } from "./question";
import { isSortable, leadsToOne } from "./request";

interface Place {
  key: string;
  to: number; // the place in the list of columns
}

const nudge = 16; // px that an arrow key changes a width by

export function Header({ list, sort }: { list: List; sort: (order: Order | null) => void }) {
  const dragged = useSignal<Place | null>(null);
  const size = list.size.value;
  const total = list.rows.value.total.value ?? 0;
  return (
    <div class="list-row list-headers" role="row" aria-rowindex={1}>
      <div class="list-check" role="columnheader" aria-colindex={1}>
        <Checkbox
          checked={size > 0 && size === total}
          mixed={size > 0 && size < total}
          onInput={(on) => (on ? list.selectAll() : list.clear())}
          aria-label={t("list.select-all")}
        />
      </div>
      {list.columns.value.map((column, i) => (
        <HeaderCell key={column.key} list={list} column={column} at={i} sort={sort} dragged={dragged} />
      ))}
    </div>
  );
}

interface HeaderCellProps {
  list: List;
  column: Arranged;
  at: number;
  sort: (order: Order | null) => void;
  dragged: Signal<Place | null>;
}

function HeaderCell({ list, column, at, sort, dragged }: HeaderCellProps) {
  const path = sortPath(column, list.type, list.site);
  const order = list.question.value.order;
  const direction = order && order.path === path ? (order.descending ? "descending" : "ascending") : path ? "none" : undefined;
  const label = labelOf(column);
  const moving = useRef(false); // the click at the end of a drag does not sort
  const resize = (width: number) =>
    list.choose(list.columns.value.map((c) => ({ key: c.key, width: c.key === column.key ? withinBounds(width) : c.chosenWidth })));
  const move = (to: number) => {
    const columns = list.columns.value.map((c) => ({ key: c.key, width: c.chosenWidth }));
    const next = moved(columns, column.key, to);
    list.choose(next);
    announce(t("sort.moved", { name: label, to: next.findIndex((c) => c.key === column.key) + 1, of: next.length }));
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[leftToRight(event.key)];
    if (!step || !(event.altKey || event.shiftKey)) return;
    event.preventDefault();
    if (event.altKey) move(at + step);
    else resize((event.currentTarget as HTMLElement).closest<HTMLElement>('[role="columnheader"]')!.offsetWidth + step * nudge);
  };
  const marks = `${isNumeric(column.attribute) ? " numeric" : ""}${at === 0 ? " list-title" : ""}${dragged.value?.to === at ? " drop-before" : ""}${dragged.value?.key === column.key ? " dragged" : ""}`;
  return (
    <div class={`list-header${marks}`} role="columnheader" aria-colindex={at + 2} aria-sort={direction} data-column={column.key}>
      <button
        type="button"
        class="list-sort"
        aria-disabled={path === null || undefined}
        onClick={() => path && !moving.current && sort(nextOrder(path, order))}
        onKeyDown={keys}
        onPointerDown={(event) => {
          moving.current = false;
          if (at > 0)
            startDrag(event, dragged, column.key, (to) => {
              moving.current = true;
              if (to !== null) move(to);
            });
        }}
        data-tip={column.attribute && column.attribute.label !== label ? column.attribute.label : undefined}
      >
        <span class="truncate">{label}</span>
        {direction === "ascending" && <Icon name="up" size={12} />}
        {direction === "descending" && <Icon name="down" size={12} />}
      </button>
      <span
        class="list-resize"
        onPointerDown={(event) => startResize(event, resize)}
        onDblClick={() => list.choose(list.columns.value.map((c) => ({ key: c.key, width: c.key === column.key ? undefined : c.chosenWidth })))}
      />
    </div>
  );
}

/** The path that a column is sorted by; null if it is not. */
export function sortPath(column: Column, type: ContentType, site: Site): string | null {
  if (!column.attribute) return null;
  const { attribute, key } = column;
  const path = leadsToOne(attribute) ? `${key}.${site.types.find((t) => t.uid === attribute.target)?.mainField ?? "documentId"}` : key;
  return isSortable(path, type) ? path : null;
}

/** Ascending, descending, and then the order of the list. */
export function nextOrder(path: string, order: Order | null): Order | null {
  if (order?.path !== path) return { path, descending: false };
  return order.descending ? null : { path, descending: true };
}

/** Follows the pointer until it is released, without a click at its end once it has moved. */
function follow(event: PointerEvent, onMove: (event: PointerEvent) => void, onEnd: (event: PointerEvent, kept: boolean) => void) {
  const element = event.currentTarget as HTMLElement;
  const stop = (last: PointerEvent) => {
    element.removeEventListener("pointermove", onMove);
    element.removeEventListener("pointerup", stop);
    element.removeEventListener("pointercancel", stop);
    onEnd(last, last.type === "pointerup");
  };
  element.setPointerCapture(event.pointerId);
  element.addEventListener("pointermove", onMove);
  element.addEventListener("pointerup", stop);
  element.addEventListener("pointercancel", stop);
}

function startResize(event: PointerEvent, resize: (width: number) => void) {
  if (event.button !== 0) return;
  event.preventDefault();
  const header = (event.currentTarget as HTMLElement).parentElement!;
  const [from, grown] = [event.clientX, header.offsetWidth];
  const along = isRightToLeft() ? -1 : 1;
  let width = header.offsetWidth;
  const frame = header.closest<HTMLElement>(".list-grid")!;
  const index = [...header.parentElement!.children].indexOf(header);
  const tracks = getComputedStyle(header.parentElement!).gridTemplateColumns.split(" ");
  follow(
    event,
    (moved) => {
      width = withinBounds(grown + along * (moved.clientX - from));
      const changed = tracks.with(index, `${width}px`);
      frame.style.setProperty("--columns", changed.join(" "));
      frame.style.setProperty("--width", `calc(20px + ${changed.join(" + ")})`);
    },
    (_, kept) => kept && resize(width),
  );
}

function startDrag(event: PointerEvent, dragged: Signal<Place | null>, key: string, end: (to: number | null) => void) {
  if (event.button !== 0 || event.pointerType === "touch") return;
  const button = event.currentTarget as HTMLElement;
  const from = event.clientX;
  const headers = [...button.closest(".list-headers")!.querySelectorAll<HTMLElement>("[data-column]")];
  const own = headers.findIndex((header) => header.dataset.column === key);
  follow(
    event,
    ({ clientX }) => {
      if (!dragged.value && Math.abs(clientX - from) < 6) return;
      const to = headers.findIndex((header) => {
        const middle = header.getBoundingClientRect().left + header.offsetWidth / 2;
        return isRightToLeft() ? clientX > middle : clientX < middle;
      });
      dragged.value = { key, to: Math.max(1, to < 0 ? headers.length : to) };
    },
    (_, kept) => {
      const place = dragged.value;
      dragged.value = null;
      if (!place) return;
      end(kept ? (place.to > own ? place.to - 1 : place.to) : null);
    },
  );
}
