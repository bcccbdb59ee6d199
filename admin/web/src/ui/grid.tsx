// A grid of many rows of which only those in view are on the page. The grid has the
// focus, and says which row is active; arrow keys move that, as the ARIA pattern has it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { topFor, windowOf, type View } from "./window";

export interface WindowedGridProps {
  id: string;
  label: string;
  /** How many rows there are, and how many columns. */
  count: number;
  columns: number;
  /** How high each row is, px. */
  rowHeight: number;
  /** The element of a row, exactly rowHeight high, with the id of rowId and the aria-rowindex of rowIndex. */
  row: (index: number) => ComponentChildren;
  /** The row of headers; it stays in view. */
  head?: ComponentChildren;
  headHeight?: number;
  active: number;
  /** A key moves the active row. */
  onActive: (row: number, event: KeyboardEvent) => void;
  /** All other keys. */
  onKey?: (event: KeyboardEvent) => void;
  /** Hears which rows are drawn, to load them. */
  onRange?: (first: number, end: number) => void;
  /** How far it is scrolled when it appears, and hears when that changes. */
  scrollTop?: number;
  onScroll?: (top: number) => void;
  box?: RefObject<HTMLDivElement | null>;
  busy?: boolean;
  class?: string;
}

export function rowId(grid: string, row: number): string {
  return `${grid}-row-${row}`;
}

/** Row 0 is the second one for screen readers: the headers are the first. */
export function rowIndex(row: number): number {
  return row + 2;
}

export function WindowedGrid(props: WindowedGridProps) {
  const { id, label, count, columns, rowHeight, row, head, headHeight = 0, active, onRange, scrollTop = 0 } = props;
  const own = useRef<HTMLDivElement>(null);
  const box = props.box ?? own;
  const seen = useSignal({ top: scrollTop, height: 800 });
  const view: View = { rows: count, rowHeight, ...seen.value };
  const { first, end, offset, height } = windowOf(view);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.scrollTop = scrollTop;
    const measure = () => (seen.value = { top: element.scrollTop, height: element.clientHeight - headHeight });
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    measure();
    return () => watcher.disconnect();
  }, [headHeight]);
  useLayoutEffect(() => onRange?.(first, end), [first, end, onRange]);

  const keys = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(seen.value.height / rowHeight) - 1);
    const to = nextRow(event, active, count, page);
    if (to === null) return props.onKey?.(event);
    event.preventDefault();
    props.onActive(to, event);
    if (box.current) box.current.scrollTop = topFor(to, view);
  };
  const drawn: ComponentChildren[] = [];
  for (let i = first; i < end; i++) drawn.push(row(i));
  return (
    <div
      ref={box}
      id={id}
      class={`grid${props.class ? ` ${props.class}` : ""}`}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns}
      aria-multiselectable="true"
      aria-busy={props.busy || undefined}
      aria-activedescendant={active >= first && active < end ? rowId(id, active) : undefined}
      onKeyDown={keys}
      onScroll={(event) => {
        const { scrollTop: top, clientHeight } = event.currentTarget;
        if (top !== seen.value.top) seen.value = { top, height: clientHeight - headHeight };
        props.onScroll?.(top);
      }}
    >
      {head && (
        <div class="grid-head" role="rowgroup">
          {head}
        </div>
      )}
      <div class="grid-body" role="rowgroup" style={{ height: `${height}px` }}>
        <div class="grid-window" role="presentation" style={{ transform: `translateY(${offset}px)` }}>
          {drawn}
        </div>
      </div>
    </div>
  );
}

/** The row that a key moves to; null for a key that moves nowhere. */
export function nextRow(event: Pick<KeyboardEvent, "key" | "altKey" | "metaKey">, active: number, count: number, page: number): number | null {
  if (event.altKey || event.metaKey || count === 0) return null;
  const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: count - 1 }[event.key];
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to));
}
