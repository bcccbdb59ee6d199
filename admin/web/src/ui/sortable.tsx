// A list whose items are moved by mouse, finger and keys.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../core/i18n";
import { announce } from "../core/live-region";
import { IconButton } from "./button";

export interface SortableProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** What the item is called, for screen readers. */
  nameOf: (item: T) => string;
  onMove: (from: number, to: number) => void;
  /** The item; handle is the button by which it is moved. */
  children: (item: T, handle: ComponentChildren, index: number) => ComponentChildren;
  disabled?: boolean;
  class?: string;
}

/** Alt with arrow keys on the handle moves an item; so does dragging it. */
export function Sortable<T>({ label, items, keyOf, nameOf, onMove, children, disabled, class: extra }: SortableProps<T>) {
  const list = useRef<HTMLUListElement>(null);
  const moved = useRef<HTMLElement | null>(null); // by a key: it has the focus where it is now
  useLayoutEffect(() => {
    moved.current?.focus();
    moved.current = null;
  });
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);

  const move = (from: number, to: number, handle?: HTMLElement) => {
    const item = items[from];
    if (item === undefined || to < 0 || to >= items.length || to === from) return;
    moved.current = handle ?? null;
    onMove(from, to);
    announce(t("sort.moved", { name: nameOf(item), to: to + 1, of: items.length }));
  };
  const at = (y: number): number => {
    const rows = [...(list.current?.children ?? [])];
    const after = rows.findIndex((row) => {
      const box = row.getBoundingClientRect();
      return y < box.top + box.height / 2;
    });
    return after < 0 ? rows.length : after;
  };
  const handle = (item: T, index: number) =>
    disabled || items.length < 2 ? null : (
      <IconButton
        small
        class="handle"
        icon="drag"
        label={t("sort.move", { name: nameOf(item) })}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          event.stopPropagation();
          move(index, index + (event.key === "ArrowUp" ? -1 : 1), event.currentTarget);
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: index, to: index });
        }}
        onPointerMove={(event) => drag && setDrag({ from: drag.from, to: at(event.clientY) })}
        onPointerUp={() => {
          if (drag) move(drag.from, drag.to > drag.from ? drag.to - 1 : drag.to);
          setDrag(null);
        }}
        onPointerCancel={() => setDrag(null)}
      />
    );
  return (
    <ul ref={list} class={`sortable${extra ? ` ${extra}` : ""}`} aria-label={label}>
      {items.map((item, index) => (
        <li
          key={keyOf(item)}
          class={`${drag?.from === index ? "dragged" : ""}${drag?.to === index ? " drop-before" : ""}${drag?.to === items.length && index === items.length - 1 ? " drop-after" : ""}`}
        >
          {children(item, handle(item, index), index)}
        </li>
      ))}
    </ul>
  );
}
