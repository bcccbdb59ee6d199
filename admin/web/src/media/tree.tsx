// The tree of folders: arrow keys move in it, and what is dragged onto a folder goes there.

import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { setQuery } from "../core/router";
import { leftToRight } from "../ui/direction";
import { Icon } from "../ui/icon";
import { childrenOf, flat, folderOf, folders, nameOf, wayTo } from "./folders";
import { held, heldOver, hold } from "./holding";
import { Lock } from "./lock";
import { dragged, type Dragged, takeDragged } from "./moving";
import { t } from "./words";

/** The folders that are shown open. */
const open = signal<ReadonlySet<string>>(new Set());

function setOpen(id: string, to: boolean) {
  const next = new Set(open.value);
  if (to) next.add(id);
  else next.delete(id);
  open.value = next;
}

export function goTo(folder: string | null) {
  setQuery({ folder, q: null, kind: null, size: null, use: null, alt: null }, { replace: false });
}

interface Row {
  id: string | null;
  depth: number;
}

export function FolderTree({ at, mayMove }: { at: string | null; mayMove: boolean }) {
  const tree = useRef<HTMLUListElement>(null);
  const [focused, focus] = useState<string | null>(at);
  const above = new Set(wayTo(at).slice(0, -1).map((folder) => folder.documentId));
  const isOpen = (id: string | null) => id === null || open.value.has(id) || above.has(id);
  const rows: Row[] = [{ id: null, depth: 0 }];
  let closedAt = Infinity;
  for (const { folder, depth } of flat()) {
    if (depth > closedAt) continue;
    closedAt = isOpen(folder.documentId) ? Infinity : depth;
    rows.push({ id: folder.documentId, depth: depth + 1 });
  }
  const stop = rows.some((row) => row.id === focused) ? focused : at;
  const moveTo = (row: Row | undefined) => {
    if (!row) return;
    focus(row.id);
    tree.current?.querySelector<HTMLElement>(`[data-folder="${row.id ?? ""}"]`)?.focus();
  };
  const keys = (event: KeyboardEvent, row: Row) => {
    const i = rows.indexOf(row);
    const has = childrenOf(row.id).length > 0;
    const key = leftToRight(event.key);
    const parent = () => rows.slice(0, i).reverse().find((other) => other.depth < row.depth);
    if (event.key === "ArrowDown") moveTo(rows[i + 1]);
    else if (event.key === "ArrowUp") moveTo(rows[i - 1]);
    else if (event.key === "Home") moveTo(rows[0]);
    else if (event.key === "End") moveTo(rows.at(-1));
    else if (key === "ArrowRight") {
      if (row.id && has && !isOpen(row.id)) setOpen(row.id, true);
      else if (has) moveTo(rows[i + 1]);
    } else if (key === "ArrowLeft") {
      if (row.id && has && open.value.has(row.id)) setOpen(row.id, false);
      else moveTo(parent());
    } else if (event.key === "Enter" || event.key === " ") goTo(row.id);
    else return;
    event.preventDefault();
  };
  return (
    <ul ref={tree} class="media-tree" role="tree" aria-label={t("folders")}>
      {rows.map((row) => (
        <TreeRow
          key={row.id ?? "root"}
          row={row}
          current={row.id === at}
          stop={row.id === stop}
          expanded={row.id === null || childrenOf(row.id).length === 0 ? undefined : isOpen(row.id)}
          mayMove={mayMove}
          onKeys={(event) => keys(event, row)}
        />
      ))}
    </ul>
  );
}

interface TreeRowProps {
  row: Row;
  current: boolean;
  stop: boolean;
  expanded: boolean | undefined;
  mayMove: boolean;
  onKeys: (event: KeyboardEvent) => void;
}

function TreeRow({ row: { id, depth }, current, stop, expanded, mayMove, onKeys }: TreeRowProps) {
  const [over, drop] = useDrop(id, mayMove);
  const count = folders.value?.find((folder) => folder.documentId === id)?.files.count;
  return (
    <li
      role="treeitem"
      class={`media-branch${over ? " over" : ""}`}
      data-folder={id ?? ""}
      aria-level={depth + 1}
      aria-selected={current}
      aria-current={current ? "page" : undefined}
      aria-expanded={expanded}
      tabIndex={stop ? 0 : -1}
      style={{ paddingInlineStart: `${8 + depth * 16}px` }}
      draggable={mayMove && id !== null}
      onDragStart={(event: DragEvent) => id && startDrag(event, { files: [], folders: [id] })}
      onDragEnd={() => (dragged.value = null)}
      onPointerDown={(event: PointerEvent) => mayMove && id && hold(event, () => ({ files: [], folders: [id] }))}
      onClick={() => goTo(id)}
      onKeyDown={onKeys}
      {...drop}
    >
      <span
        class="media-twist"
        aria-hidden="true"
        onClick={(event) => {
          if (expanded === undefined || id === null) return;
          event.stopPropagation();
          setOpen(id, !expanded);
        }}
      >
        {expanded !== undefined && <Icon name={expanded ? "down" : "right"} size={14} />}
      </span>
      <Icon name="folder" />
      <span class="truncate">{nameOf(id)}</span>
      {folderOf(id)?.private && <Lock />}
      {count ? <span class="media-count">{count}</span> : null}
    </li>
  );
}

export function startDrag(event: DragEvent, what: Dragged) {
  if (held.peek()) return event.preventDefault();
  event.dataTransfer?.setData("text/plain", "");
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
  dragged.value = what;
}

/** What a place needs to which files and folders can be dragged. */
export function useDrop(id: string | null, may: boolean) {
  const [over, setOver] = useState(false);
  return [
    over || (may && heldOver.value === (id ?? "")),
    {
      "data-drop": may ? (id ?? "") : undefined,
      onDragOver: (event: DragEvent) => {
        if (!may || !dragged.peek() || dragged.peek()?.folders.includes(id ?? "")) return;
        event.preventDefault();
        event.stopPropagation();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!may || !dragged.peek()) return;
        event.preventDefault();
        event.stopPropagation();
        void takeDragged(id);
      },
    },
  ] as const;
}
