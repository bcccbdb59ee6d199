// A saved view of a list, and what it asks for.

import type { Filter, Question, Status } from "../screens/list/question";

export interface View {
  id: string;
  name: string;
  shared: boolean;
  search?: string;
  filters?: readonly Filter[];
  order?: string;
  status?: string;
  locale?: string;
  columns?: readonly { key: string; width?: number }[];
}

/** The whole question that a view asks. */
export function questionOf(view: View): Question {
  return {
    search: view.search ?? "",
    filters: (view.filters ?? []).map((filter) => ({ ...filter, values: filter.values ?? [] })),
    order: view.order ? { path: view.order.replace(/^-/, ""), descending: view.order.startsWith("-") } : null,
    status: (view.status as Status | undefined) ?? null,
    locale: view.locale ?? null,
  };
}
