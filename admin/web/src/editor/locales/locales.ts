// The locales of a document: which there are, and how one gets to them.

import { formatLocale } from "../../core/i18n";
import { navigate, place } from "../../core/router";
import { schema, type Status } from "../../core/schema";
import { pathOf } from "../actions";
import { act } from "../document";
import type { Editing } from "../editing";

export interface LocaleLine {
  readonly code: string;
  readonly name: string;
  /** null where the document is not written in this locale. */
  readonly status: Status | null;
  readonly updatedAt: string | null;
  readonly isOpen: boolean;
  /** Whether the account may change this locale. */
  readonly mayChange: boolean;
}

/** All locales of the site, with what the document has in them. */
export function localesOf(editing: Editing): LocaleLine[] {
  const states = new Map(editing.loaded.value?.locales.map((each) => [each.locale, each]));
  return (schema.value?.locales ?? []).map(({ code, isDefault }) => {
    const state = states.get(code);
    const isOpen = editing.locale === null ? isDefault : editing.locale === code;
    return {
      code,
      name: formatLocale(code),
      status: state?.status ?? null,
      updatedAt: state?.updatedAt ?? null,
      isOpen,
      mayChange: editing.type.locales === null || editing.type.locales.includes(code),
    };
  });
}

/** The locale that is shown beside the one that is edited. */
export const besideOf = (editing: Editing): string | null => {
  const code = place.value.query.get("beside");
  return code === null || code === editing.locale ? null : code;
};

/** Edits another locale. The one that is beside changes places with it, if it is that. */
export function openLocale(editing: Editing, code: string) {
  const beside = besideOf(editing);
  const kept = beside === code ? editing.locale : beside;
  void navigate(`${basePath(editing)}?locale=${code}${kept ? `&beside=${kept}` : ""}`);
}

/** Shows another locale beside the one that is edited; null shows none. */
export function showBeside(editing: Editing, code: string | null) {
  const locale = editing.locale ? `locale=${editing.locale}` : "";
  void navigate(`${basePath(editing)}?${locale}${code ? `&beside=${code}` : ""}`, { replace: true, force: true });
}

const basePath = (editing: Editing): string => pathOf(editing, editing.documentId.peek() ?? "").split("?")[0]!;

/** Publishes the drafts of several locales: all of them, or none. */
export async function publishLocales(editing: Editing, codes: readonly string[]): Promise<void> {
  if (editing.dirty.peek() && codes.includes(editing.locale ?? "") && !(await editing.savePublishable())) return;
  await act(editing.place, "publish", { query: { locale: codes.join(",") } });
  await editing.reload();
}
