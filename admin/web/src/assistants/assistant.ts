// Assistants as the server has them, and what a form says about a new one.

import { t } from "./words";

export type Allowed = "no" | "ask" | "yes";

export interface Limits {
  /** The uids of content types; all where there are none. */
  types?: string[];
  publish: Allowed;
  delete: Allowed;
  most?: number;
  files?: boolean;
  readOnly?: boolean;
}

export interface Assistant {
  id: string;
  name: string;
  /** The program that was connected; null where its token was made by hand. */
  client: string | null;
  limits: Limits;
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
}

/** What is entered about a new assistant. */
export interface Draft {
  name: string;
  days: string;
  publish: Allowed;
  delete: Allowed;
  most: string;
  files: boolean;
  readOnly: boolean;
  /** null for all content types. */
  types: readonly string[] | null;
}

export const emptyDraft: Draft = { name: "", days: "90", publish: "no", delete: "no", most: "", files: false, readOnly: false, types: null };

export const fields = ["name", "limits.publish", "limits.delete", "limits.most", "limits.types", "days"] as const;

export type FieldName = (typeof fields)[number];

/** What is wrong with it before it is sent. */
export function check(draft: Draft): { [name in FieldName]?: string } {
  return {
    ...(draft.name.trim() === "" && { name: t("name-missing") }),
    ...(!/^\d{0,6}$/.test(draft.most.trim()) && { "limits.most": t("most-wrong") }),
    ...(draft.types?.length === 0 && { "limits.types": t("types-missing") }),
  };
}

/** The body of the request. */
export function bodyOf({ name, days, publish, delete: remove, most, files, readOnly, types }: Draft) {
  return { name, days: Number(days), limits: { publish, delete: remove, most: Number(most), files, readOnly, types: types ?? [] } };
}

/** What it may do, in a few words. */
export function saysOf({ limits: { readOnly, publish, types } }: Assistant): string {
  const does = readOnly ? t("says.read") : publish === "yes" ? t("says.publish") : publish === "ask" ? t("says.ask") : t("says.drafts");
  return types?.length ? `${does} · ${t("says.types", { n: types.length })}` : does;
}
