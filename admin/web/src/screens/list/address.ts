// The URL of a list and the question that it is asked: each follows the other.

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../../core/i18n";
import { announce } from "../../core/live-region";
import { navigate, place } from "../../core/router";
import { rowHeight } from "./density";
import { lastAsked, type List } from "./model";
import { fromSearch, toSearch, type Question } from "./question";

/** Asks another question, which differs by this. */
export type Ask = (change: Partial<Question>) => void;

const typing = 150; // ms without a key, after which the URL has what was typed

/**
 * Has the list answer the question of the URL; without one, that which it was asked last.
 * What is asked goes into the URL at once, a search when it has been typed: all of the
 * page hears of a new URL, and the rows are not to wait for it.
 */
export function useAddress(list: List, box: { current: HTMLDivElement | null }): Ask {
  const query = place.value.query.toString();
  const arriving = useRef(true);
  const { ask, write, stop } = useMemo(() => asking(list, box), [list]);
  useLayoutEffect(() => {
    if (arriving.current && !query && lastAsked(list.type)) {
      void navigate(pathOf(list, fromSearch(lastAsked(list.type))), { replace: true, force: true });
      return;
    }
    const question = fromSearch(query);
    const known = (list.asked.value || list.busy.value) && toSearch(question) === toSearch(list.question.value);
    if (!known) void answer(list, question, box, arriving.current);
    else if (arriving.current) void list.refresh();
    arriving.current = false;
  }, [query, list]);
  useEffect(() => {
    addEventListener("click", write, { capture: true });
    addEventListener("keydown", write, { capture: true });
    return () => {
      stop();
      removeEventListener("click", write, { capture: true });
      removeEventListener("keydown", write, { capture: true });
    };
  }, [write, stop]);
  return ask;
}

function asking(list: List, box: { current: HTMLDivElement | null }) {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(waiting);
    waiting = undefined;
  };
  const put = () => {
    stop();
    void navigate(pathOf(list, list.question.value), { replace: true, force: true });
  };
  // Whoever leaves the page by a click or a key finds the question when coming back.
  const write = (event: Event) => {
    const typed = event instanceof KeyboardEvent && event.key !== "Enter";
    if (waiting !== undefined && !typed) put();
  };
  const ask: Ask = (change) => {
    void answer(list, { ...list.question.value, ...change }, box, false);
    stop();
    if (change.search !== undefined) waiting = setTimeout(put, typing);
    else put();
  };
  return { ask, write, stop };
}

/** Shows the answer from its beginning or, on arriving, where the list was left. */
async function answer(list: List, question: Question, box: { current: HTMLDivElement | null }, arriving: boolean): Promise<void> {
  const row = arriving ? Math.floor(list.top / rowHeight.value) : 0;
  if (!(await list.ask(question, row))) return;
  if (!arriving) list.top = 0;
  if (box.current) box.current.scrollTop = list.top;
  if (!arriving) announce(t("list.count", { n: list.rows.value.total.value ?? 0 }));
}

export function pathOf(list: List, question: Question): string {
  return `/content/${list.type.uid}${toSearch(question)}`;
}
