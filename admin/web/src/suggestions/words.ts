// The messages of suggestions, and how the server is asked for one.

import { request } from "../core/api";
import { catalogue } from "../core/i18n";
import { schema } from "../core/schema";
import { en } from "./messages/en";

export const t = catalogue<keyof typeof en>("suggestions", en);

export const modelName = (): string => schema.peek()?.model?.name ?? "";

/** Asks for one suggestion: the value of an attribute, or a text. */
export async function suggestion(what: "translate" | "shorten" | "describe", body: object, signal: AbortSignal): Promise<unknown> {
  return (await request<{ value: unknown }>("POST", `/suggestions/${what}`, { body, signal })).data.value;
}
