// The documents of a type.

import { effect, useComputed } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ApiError } from "../../core/api";
import { useCommands } from "../../core/commands";
import { t } from "../../core/i18n";
import { subscribe, watch } from "../../core/live";
import { announce } from "../../core/live-region";
import { navigate, useTitle } from "../../core/router";
import { documentPath, may, schema, type ContentType } from "../../core/schema";
import { online } from "../../core/session";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/empty";
import { WindowedGrid } from "../../ui/grid";
import { Icon } from "../../ui/icon";
import { useAddress, type Ask } from "./address";
import { BulkBar } from "./bulk-bar";
import { Chips } from "./filters";
import { Header } from "./header";
import { listOf, type List } from "./model";
import { everything, narrows } from "./question";
import { Row } from "./row";
import { Toolbar } from "./toolbar";
import { compact, narrow, rowHeight } from "./density";

export function ListScreen({ type }: { type: ContentType }) {
  const site = schema.value;
  if (!site) return null;
  return <ListOf list={listOf(type, site)} />;
}

function ListOf({ list }: { list: List }) {
  const { type } = list;
  useTitle(type.displayName);
  const search = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const ask = useAddress(list, box);
  useColumns(list);
  useLive(list);
  const create = may(type, "create") ? () => void navigate(newPath(list)) : undefined;
  useKeys(search, create);
  const total = list.rows.value.total.value;
  return (
    <div class={`list${compact.value ? " compact" : ""}${narrow.value ? " narrow" : ""}`}>
      <header class="list-top">
        <div class="list-heading">
          <h1>{type.displayName}</h1>
          {list.asked.value && total !== null && <span class="quiet-text numeric">{t("list.count", { n: total })}</span>}
        </div>
        {create && (
          <Button variant="primary" icon="plus" aria-label={t("list.create")} onClick={create}>
            {narrow.value ? t("create") : t("list.create")}
          </Button>
        )}
      </header>
      <Toolbar list={list} ask={ask} search={search} />
      <Chips list={list} ask={ask} />
      <div class="list-body">
        <Rows list={list} ask={ask} box={box} create={create} />
        <Notice list={list} />
        <BulkBar list={list} />
      </div>
    </div>
  );
}

function newPath(list: List): string {
  return documentPath(list.type.uid, "new", list.locale);
}

/** Asks again when there are columns whose values were not asked for. */
function useColumns(list: List) {
  const columns = list.columns.value.map((column) => column.key).join();
  useEffect(() => {
    if (list.asked.value && list.showsOther()) void list.refresh();
  }, [columns, list]);
}

/** Follows what others change: the stream begins where the first answer ends. */
function useLive(list: List) {
  useEffect(() => {
    if (online.value && list.failure.value) void list.refresh();
  }, [online.value, list]);
  useEffect(() => {
    let endStream: (() => void) | undefined;
    const endWaiting = effect(() => {
      const arrived = !list.busy.value && (list.asked.value || list.failure.value !== null);
      if (arrived) endStream ??= watch({ since: list.rows.value.revision });
    });
    const endHearing = subscribe(
      (change) => list.hear(change),
      () => void list.refresh(),
    );
    return () => {
      endWaiting();
      endStream?.();
      endHearing();
    };
  }, [list]);
}

/** "/" goes to the search, "c" creates. */
function useKeys(search: { current: HTMLInputElement | null }, create: (() => void) | undefined) {
  useCommands([
    { label: t("list.search-here"), keys: "/", icon: "search", run: () => search.current?.focus(), keysOnly: true },
    ...(create ? [{ label: t("list.create"), keys: "C", icon: "plus" as const, run: create }] : []),
  ]);
}

interface RowsProps {
  list: List;
  ask: Ask;
  box: { current: HTMLDivElement | null };
  create: (() => void) | undefined;
}

function Rows({ list, ask, box, create }: RowsProps) {
  const { rows, asked, failure, busy, active } = list;
  const total = rows.value.total.value ?? 0;
  const frame = useRef<HTMLDivElement>(null);
  const { columns, width } = useComputed(() => tracks(list)).value;
  useLayoutEffect(() => {
    frame.current?.style.setProperty("--columns", columns);
    frame.current?.style.setProperty("--width", width);
  });
  const range = useMemo(() => (first: number, end: number) => list.view(first, end), [list, rows.value]);
  const grid = `list-${list.type.singularName}`;
  if (failure.value && !asked.value) return <Failed failure={failure.value} retry={() => void list.refresh()} />;
  if (!asked.value) return <div class="grid" aria-busy="true" />;
  if (total === 0) return <NoRows list={list} ask={ask} create={create} />;
  return (
    <div class="list-grid" ref={frame}>
      <WindowedGrid
        id={grid}
        label={list.type.displayName}
        count={total}
        columns={list.columns.value.length + 1}
        rowHeight={rowHeight.value}
        headHeight={narrow.value ? 0 : 32}
        head={!narrow.value && <Header list={list} sort={(order) => ask({ order })} />}
        row={(index) => <Row key={index} grid={grid} list={list} index={index} />}
        active={active.value}
        onActive={(to, event) => (event.shiftKey ? void list.extendTo(to) : (active.value = to))}
        onKey={(event) => onKey(event, list)}
        onRange={range}
        scrollTop={list.top}
        onScroll={(top) => list.scrolled(top)}
        box={box}
        busy={busy.value}
      />
    </div>
  );
}

/**
 * The widths of the columns, and that of a row. The title takes what is left or, if it was
 * given a width, nothing does.
 */
function tracks(list: List): { columns: string; width: string } {
  if (narrow.value) return { columns: "40px minmax(0, 1fr) auto", width: "0px" };
  const [title, ...others] = list.columns.value.map(({ width }) => `${width}px`);
  const chosen = list.columns.value[0]?.chosenWidth !== undefined;
  const least = chosen ? title : `clamp(180px, 30vw, ${title})`;
  const columns = ["40px", chosen ? title : `minmax(${least}, 1fr)`, ...others, chosen ? "minmax(0px, 1fr)" : "0px"].join(" ");
  return { columns, width: `calc(${["60px", least, ...others].join(" + ")})` };
}

function onKey(event: KeyboardEvent, list: List) {
  const entry = list.rows.value.at(list.active.value);
  if (event.key === " ") void (event.shiftKey ? list.selectTo(list.active.value) : list.select(list.active.value));
  else if (event.key === "Enter" && entry) void navigate(list.pathOf(entry));
  else if (event.key === "a" && (event.ctrlKey || event.metaKey)) list.selectAll();
  else if (event.key === "Escape" && list.size.value > 0) list.clear();
  else return;
  event.preventDefault();
  announce(t("list.selected", { n: list.size.value }));
}

/** What others have made, moved or deleted, for when the user wants to see it; and why the rows are old. */
function Notice({ list }: { list: List }) {
  const failure = list.failure.value ?? list.rows.value.failure.value;
  const n = list.moved.value.size;
  if (!list.asked.value || (!failure && n === 0) || (failure instanceof ApiError && failure.offline)) return null;
  return (
    <div class="list-notice" role="status">
      {failure ? <Icon name="error" /> : null}
      <span>{failure instanceof Error ? failure.message : t("list.moved", { n })}</span>
      <Button small variant="quiet" onClick={() => void list.refresh()}>
        {failure ? t("retry") : t("list.show")}
      </Button>
    </div>
  );
}

function NoRows({ list, ask, create }: { list: List; ask: Ask; create: (() => void) | undefined }) {
  if (narrows(list.question.value)) {
    return (
      <Empty
        icon="search"
        title={t("list.no-match")}
        action={<Button onClick={() => ask({ ...everything, locale: list.question.value.locale })}>{t("list.clear-all")}</Button>}
      >
        {t("list.no-match-text")}
      </Empty>
    );
  }
  return (
    <Empty
      title={t("list.none", { type: list.type.displayName })}
      action={
        create && (
          <Button icon="plus" onClick={create}>
            {t("list.create-first")}
          </Button>
        )
      }
    >
      {list.type.description || t("list.none-text")}
    </Empty>
  );
}

function Failed({ failure, retry }: { failure: unknown; retry: () => void }) {
  return (
    <Empty icon="warning" title={t("list.failed")} action={<Button onClick={retry}>{t("retry")}</Button>}>
      {failure instanceof ApiError && failure.offline ? t("shell.offline") : String(failure instanceof Error ? failure.message : failure)}
    </Empty>
  );
}
