// A grid of many rows of which only those in sight are on the page.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface WindowedGridProps {
  /** How many rows there are. */
  count: number;
  /** How high each is, in pixels. */
  rowHeight: number;
  label: string;
  /** The element of a row, of exactly rowHeight; it gets role="row" and aria-rowindex by itself. */
  row: (index: number) => ComponentChildren;
  /** Above the rows; stays in sight. */
  head?: ComponentChildren;
  /** Hears which rows are in sight, to load them. */
  onRange?: (first: number, last: number) => void;
  /** How far it is scrolled when it appears, and hears when that changes. */
  scrollTop?: number;
  onScroll?: (top: number) => void;
  class?: string;
}

const spare = 6;

/** The first and the row after the last that are drawn: at most 60. */
export function range(top: number, height: number, rowHeight: number, count: number): [number, number] {
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + spare, first + 60);
  return [Math.min(first, last), last];
}

export function WindowedGrid({ count, rowHeight, label, row, head, onRange, scrollTop = 0, onScroll, class: extra }: WindowedGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(scrollTop);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => setHeight(element.clientHeight));
    watcher.observe(element);
    setHeight(element.clientHeight);
    element.scrollTop = scrollTop;
    return () => watcher.disconnect();
  }, []);
  const [first, last] = range(top, height, rowHeight, count);
  useLayoutEffect(() => onRange?.(first, last), [first, last]);
  const rows: ComponentChildren[] = [];
  for (let i = first; i < last; i++) rows.push(row(i));
  return (
    <div
      ref={box}
      class={`grid${extra ? ` ${extra}` : ""}`}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      onScroll={(event) => {
        setTop(event.currentTarget.scrollTop);
        onScroll?.(event.currentTarget.scrollTop);
      }}
    >
      {head}
      <div role="rowgroup" style={{ height: `${count * rowHeight}px`, position: "relative" }}>
        <div style={{ transform: `translateY(${first * rowHeight}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
