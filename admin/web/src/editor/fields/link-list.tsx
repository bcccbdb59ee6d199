// The links of a relation in their order. Only the rows in sight are on the page, so
// that a thousand are as quick as ten.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../core/i18n";
import { announce } from "../../core/live-region";
import { type Status, typeOf } from "../../core/schema";
import { IconButton } from "../../ui/button";
import { StatusBadge } from "../../ui/status";
import { type Link, linkName } from "../form/shape";
import { titleOf } from "../link-title";
import { askStates, statusOf } from "./states";

const rowHeight = 36; // px
const rowsShown = 10;
const spare = 4;

export interface LinkListProps {
  label: string;
  links: readonly Link[];
  /** The type of what is linked, where the links do not say it; and the locale of the form. */
  target: string | undefined;
  locale: string | null;
  locked: boolean;
  sortable: boolean;
  onMove: (from: number, to: number) => void;
  onRemove: (link: Link) => void;
  onOpen: (link: Link) => void;
}

export function LinkList({ label, links, target, locale, locked, sortable, onMove, onRemove, onOpen }: LinkListProps) {
  const box = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const refocus = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (refocus.current === null) return;
    box.current?.querySelector<HTMLElement>(`[data-link="${CSS.escape(refocus.current)}"] .handle`)?.focus();
    refocus.current = null;
  });
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(links.length, first + rowsShown + 2 * spare);
  useEffect(() => askStates(target, links.slice(first, last), locale), [target, links, first, last, locale]);
  if (links.length === 0) return null;

  const move = (from: number, to: number) => {
    const link = links[from];
    const place = Math.max(0, Math.min(to, links.length - 1));
    if (!link || place === from) return;
    refocus.current = linkName(link);
    onMove(from, place);
    const element = box.current;
    if (element && (place * rowHeight < element.scrollTop || (place + 1) * rowHeight > element.scrollTop + element.clientHeight)) {
      element.scrollTop = (place - rowsShown / 2) * rowHeight;
      setTop(element.scrollTop);
    }
    announce(t("sort.moved", { name: titleOf(link), to: place + 1, of: links.length }));
  };
  const placeAt = (y: number): number => {
    const element = box.current;
    if (!element) return 0;
    const inside = y - element.getBoundingClientRect().top + element.scrollTop;
    return Math.max(0, Math.min(links.length, Math.round(inside / rowHeight)));
  };
  const keys = (event: KeyboardEvent, index: number) => {
    const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move(index, to);
  };
  const handle = (link: Link, index: number) => (
    <IconButton
      small
      class="handle"
      icon="drag"
      label={t("sort.move", { name: titleOf(link) })}
      onKeyDown={(event) => keys(event, index)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: index, to: index });
      }}
      onPointerMove={(event) => drag && setDrag({ ...drag, to: placeAt(event.clientY) })}
      onPointerUp={() => {
        if (drag) move(drag.from, drag.to > drag.from ? drag.to - 1 : drag.to);
        setDrag(null);
      }}
      onPointerCancel={() => setDrag(null)}
    />
  );
  return (
    <ul
      ref={box}
      class="links"
      aria-label={label}
      style={{ maxHeight: `${(rowsShown + 0.5) * rowHeight}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <li class="links-space" role="presentation" aria-hidden="true" style={{ height: `${first * rowHeight}px` }} />
      {links.slice(first, last).map((link, i) => (
        <li
          key={linkName(link)}
          data-link={linkName(link)}
          class={`link-row${drag?.from === first + i ? " dragged" : ""}${drag?.to === first + i ? " drop-before" : ""}${drag?.to === links.length && first + i === links.length - 1 ? " drop-after" : ""}`}
          aria-setsize={links.length}
          aria-posinset={first + i + 1}
        >
          {sortable && !locked && links.length > 1 && handle(link, first + i)}
          <button type="button" class="link-title truncate" onClick={() => onOpen(link)} aria-label={t("link.open", { name: titleOf(link) })}>
            {titleOf(link)}
          </button>
          {link.type && <span class="quiet-text">{typeOf(link.type)?.displayName}</span>}
          <LinkStatus status={statusOf(link.type ?? target ?? "", link, locale)} />
          {!locked && <IconButton small icon="close" label={t("link.remove", { name: titleOf(link) })} onClick={() => onRemove(link)} />}
        </li>
      ))}
      <li class="links-space" role="presentation" aria-hidden="true" style={{ height: `${(links.length - last) * rowHeight}px` }} />
    </ul>
  );
}

function LinkStatus({ status }: { status: Status | undefined }) {
  return status ? <StatusBadge status={status} shapeOnly /> : null;
}
