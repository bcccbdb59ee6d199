// What narrows the files down, how they are shown, and what is done to those selected.

import { useEffect, useRef, useState } from "preact/hooks";
import { setQuery } from "../core/router";
import { remember } from "../core/session";
import { Button, IconButton } from "../ui/button";
import { TextInput } from "../ui/inputs";
import { Menu, type MenuEntry } from "../ui/menu";
import { toast, toastError } from "../ui/toasts";
import type { Rights } from "./drawer";
import { nameOf } from "./folders";
import { filesBetween, kinds, mostAtOnce, orders, question, sizes, total, view } from "./library";
import { clearSelection, select, selected } from "./selection";
import { t } from "./words";

export function Filters({ onUpload }: { onUpload: (() => void) | undefined }) {
  const q = question.value;
  const [text, setText] = useState(q.text);
  const written = useRef(q.text); // in the address by this field, which may have gone on since
  useEffect(() => {
    if (q.text !== written.current) setText((written.current = q.text));
  }, [q.text]);
  useEffect(() => {
    if (text === q.text) return;
    const timer = setTimeout(() => setQuery({ q: (written.current = text) || null }), 40); // browsers bear no more changes of an address
    return () => clearTimeout(timer);
  }, [text]);
  const choice = (key: string, value: string, current: string | null) => ({ checked: current === value, onSelect: () => setQuery({ [key]: current === value ? null : value }) });
  const items: MenuEntry[] = [
    { group: t("kind"), items: kinds.map((kind) => ({ label: t(`kind.${kind}`), ...choice("kind", kind, q.kind) })) },
    { group: t("size"), items: sizes.map((size) => ({ label: t(`size.${size}`), ...choice("size", size, q.size) })) },
    { group: t("use"), items: [{ label: t("use.none"), ...choice("use", "none", q.unused ? "none" : null) }] },
    { group: t("alt"), items: [{ label: t("alt.none"), ...choice("alt", "none", q.noText ? "none" : null) }] },
  ];
  const chips = [
    ...(q.kind ? [{ key: "kind", label: t(`kind.${q.kind as "image"}`) }] : []),
    ...(q.size ? [{ key: "size", label: t(`size.${q.size as "1"}`) }] : []),
    ...(q.unused ? [{ key: "use", label: t("use.none") }] : []),
    ...(q.noText ? [{ key: "alt", label: t("alt.none") }] : []),
  ];
  const names = Object.keys(orders) as (keyof typeof orders)[];
  return (
    <div class="media-bar">
      <TextInput type="search" class="media-search" aria-label={t("search")} placeholder={q.folder ? t("search.in", { name: nameOf(q.folder) }) : t("search")} value={text} onInput={setText} />
      <Menu label={t("filter")} icon="filter" items={items} />
      <Menu label={t(`sort.${q.order}`)} icon="sort" button={{ variant: "quiet" }} items={names.map((order) => ({ label: t(`sort.${order}`), checked: order === q.order, onSelect: () => setQuery({ order: order === "new" ? null : order }) }))} />
      <span class="media-found" role="status">
        {total.value === undefined ? "" : t("found", { n: total.value })}
      </span>
      <div class="media-views" role="group" aria-label={t("view")}>
        <IconButton icon="grid" label={t("view.grid")} pressed={view.value === "grid"} onClick={() => remember("media.view", undefined)} />
        <IconButton icon="menu" label={t("view.list")} pressed={view.value === "list"} onClick={() => remember("media.view", "list")} />
      </div>
      {onUpload && (
        <Button variant="primary" icon="upload" onClick={onUpload}>
          {t("upload")}
        </Button>
      )}
      {chips.length > 0 && (
        <div class="media-chips">
          {chips.map(({ key, label }) => (
            <span key={key} class="chip">
              <span class="chip-text">{label}</span>
              <IconButton small icon="close" label={t("filter.remove", { name: label })} onClick={() => setQuery({ [key]: null })} />
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

interface SelectionBarProps {
  rights: Rights;
  onMove: () => void;
  onDescribe: () => void;
  onDelete: () => void;
}

export function SelectionBar({ rights, onMove, onDescribe, onDelete }: SelectionBarProps) {
  const n = selected.value.size;
  const all = async () => {
    const count = total.peek() ?? 0;
    select(await filesBetween(0, Math.min(count, mostAtOnce)), mostAtOnce);
    if (count > mostAtOnce) toast({ kind: "info", text: t("selected.some", { n: mostAtOnce }) });
  };
  return (
    <div class="media-bar media-selected" role="toolbar" aria-label={t("selected", { n })}>
      <span class="media-selected-count" role="status">
        {t("selected", { n })}
      </span>
      {rights.upload && (
        <>
          <Button icon="folder" onClick={onMove}>
            {t("move")}
          </Button>
          <Button icon="edit" onClick={onDescribe}>
            {t("describe")}
          </Button>
        </>
      )}
      {rights.remove && (
        <Button icon="trash" onClick={onDelete}>
          {t("delete")}
        </Button>
      )}
      {n < (total.value ?? 0) && n < mostAtOnce && (
        <Button variant="quiet" onClick={() => void all().catch(toastError)}>
          {t("selected.all")}
        </Button>
      )}
      <IconButton icon="close" label={t("selected.clear")} onClick={clearSelection} />
    </div>
  );
}
