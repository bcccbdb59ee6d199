// The files of a folder, as a grid or a list: of many only those in view are on the page.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatDate } from "../core/i18n";
import { describeFile, isSigned, Picture } from "../editor/fields/picture";
import { leftToRight } from "../ui/direction";
import { Icon } from "../ui/icon";
import { topFor, windowOf } from "../ui/window";
import { nameOf } from "./folders";
import { hold } from "./holding";
import { fileAt, filesBetween, type MediaFile, mostAtOnce, need, pages, question, total, view } from "./library";
import { Lock } from "./lock";
import { clearSelection, select, selected, toggle } from "./selection";
import { dragged } from "./moving";
import { startDrag } from "./tree";
import { t } from "./words";

const shapes = { grid: { card: 150, height: 188 }, list: { card: Infinity, height: 52 } };

export interface FilesProps {
  mayMove: boolean;
  onOpen: (file: MediaFile) => void;
  onDelete: () => void;
}

export function Files({ mayMove, onOpen, onDelete }: FilesProps) {
  const box = useRef<HTMLDivElement>(null);
  const seen = useSignal({ top: 0, height: 800, width: 800 });
  const active = useSignal(0);
  const anchor = useRef(0);
  const count = total.value ?? 0;
  const shape = shapes[view.value];
  const columns = Math.max(1, Math.floor(seen.value.width / shape.card));
  const area = { rows: Math.ceil(count / columns), rowHeight: shape.height, top: seen.value.top, height: seen.value.height };
  const { first, end, offset, height } = windowOf(area, 4, 40);
  const from = first * columns;
  const to = Math.min(count, end * columns);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => (seen.value = { top: element.scrollTop, height: element.clientHeight, width: element.clientWidth - 24 });
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    measure();
    return () => watcher.disconnect();
  }, []);
  const asked = JSON.stringify(question.value);
  useEffect(() => {
    if (box.current) box.current.scrollTop = 0;
    active.value = 0;
  }, [asked]);
  useEffect(() => need(from, Math.max(to, from + 1)), [from, to, asked, pages.value.size === 0]);

  const range = (a: number, b: number) => void filesBetween(Math.min(a, b), Math.max(a, b) + 1).then((files) => select(files, mostAtOnce));
  const go = (index: number, extend: boolean) => {
    if (extend) range(anchor.current, index);
    else anchor.current = index;
    active.value = index;
    if (box.current) box.current.scrollTop = topFor(Math.floor(index / columns), area);
  };
  const keys = (event: KeyboardEvent) => {
    const i = active.value;
    const page = Math.max(1, Math.floor(area.height / shape.height)) * columns;
    const steps: Record<string, number> = { ArrowLeft: i - 1, ArrowRight: i + 1, ArrowUp: i - columns, ArrowDown: i + columns, PageUp: i - page, PageDown: i + page, Home: 0, End: count - 1 };
    const step = steps[leftToRight(event.key)];
    const file = fileAt(i);
    if (event.altKey || count === 0) return;
    if (step !== undefined && !event.ctrlKey && !event.metaKey) go(Math.max(0, Math.min(count - 1, step)), event.shiftKey);
    else if (event.key === " " && file) {
      if (event.shiftKey) range(anchor.current, i);
      else {
        toggle(file);
        anchor.current = i;
      }
    } else if (event.key === "Enter" && file) onOpen(file);
    else if (event.key === "Escape" && selected.peek().size > 0) clearSelection();
    else if (event.key === "Delete") onDelete();
    else if (event.key.toLowerCase() === "a" && (event.ctrlKey || event.metaKey)) range(0, Math.min(count, mostAtOnce) - 1);
    else return;
    event.preventDefault();
  };
  const click = (event: MouseEvent, index: number, file: MediaFile | undefined) => {
    if (!file) return;
    active.value = index;
    const onCheck = event.target instanceof Element && event.target.closest(".media-check") !== null;
    if (event.shiftKey) return range(anchor.current, index);
    anchor.current = index;
    if (onCheck || event.ctrlKey || event.metaKey || selected.peek().size > 0) toggle(file);
    else onOpen(file);
  };
  const drawn = [];
  for (let i = from; i < to; i++) drawn.push(<FileCard key={i} index={i} active={i === active.value} count={count} mayMove={mayMove} onClick={click} />);
  return (
    <div
      ref={box}
      class={`media-files ${view.value}`}
      role="listbox"
      tabIndex={0}
      aria-multiselectable="true"
      aria-label={t("list", { name: nameOf(question.value.folder) })}
      aria-activedescendant={count > 0 && active.value >= from && active.value < to ? `media-file-${active.value}` : undefined}
      onKeyDown={keys}
      onScroll={(event) => (seen.value = { ...seen.peek(), top: event.currentTarget.scrollTop })}
    >
      <div role="presentation" style={{ height: `${height}px` }}>
        <div role="presentation" class="media-window" style={{ transform: `translateY(${offset}px)`, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`, gridAutoRows: `${shape.height}px` }}>
          {drawn}
        </div>
      </div>
    </div>
  );
}

interface FileCardProps {
  index: number;
  active: boolean;
  count: number;
  mayMove: boolean;
  onClick: (event: MouseEvent, index: number, file: MediaFile | undefined) => void;
}

function FileCard({ index, active, count, mayMove, onClick }: FileCardProps) {
  const file = fileAt(index);
  const chosen = file !== undefined && selected.value.has(file.documentId);
  const lacksText = file?.mime.startsWith("image/") && !file.alternativeText;
  const taken = () => ({ files: chosen ? [...selected.peek().keys()] : file ? [file.documentId] : [], folders: [] });
  return (
    <div
      id={`media-file-${index}`}
      role="option"
      class={`media-file${active ? " active" : ""}`}
      aria-selected={chosen}
      aria-posinset={index + 1}
      aria-setsize={count}
      draggable={mayMove && file !== undefined}
      onDragStart={(event: DragEvent) => file && startDrag(event, taken())}
      onDragEnd={() => (dragged.value = null)}
      onPointerDown={(event: PointerEvent) => mayMove && file && hold(event, taken)}
      onClick={(event) => onClick(event, index, file)}
    >
      <span class="media-check" aria-hidden="true">
        {chosen && <Icon name="check" size={14} />}
      </span>
      {file ? <Picture file={file} /> : <span class="picture" />}
      <span class="media-name truncate">{file?.name ?? "…"}</span>{" "}
      <span class="media-facts truncate">
        {isSigned(file?.url) && <Lock />}
        {lacksText && (
          <>
            <Icon name="warning" size={12} />
            <span class="visually-hidden">{t("alt.none")} </span>
          </>
        )}
        {file && describeFile(file)}
      </span>
      {view.value === "list" && <span class="media-facts truncate media-date">{file?.createdAt && formatDate(file.createdAt)}</span>}
    </div>
  );
}
