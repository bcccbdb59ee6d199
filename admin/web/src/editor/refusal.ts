// What an error of the server means to a form.

import type { ApiError } from "../core/api";
import type { Refusal } from "./form/problems";

/** Whether the same request may succeed in a moment. */
export function isPassing(error: ApiError): boolean {
  return error.status === 0 || error.status === 429 || (error.status >= 502 && error.status <= 504);
}

/** A key that the server refused, as of an attribute that the schema no longer has. */
function keyRefusal(error: ApiError): Refusal[] {
  const { key, path } = error.details;
  if (typeof key !== "string") return [];
  return [{ path: typeof path === "string" ? path.split(".") : [key], message: error.message }];
}

/** The values that were refused; none where the error is about the whole. */
export function refusalsOf(error: ApiError): readonly Refusal[] {
  const listed = error.details["errors"];
  return Array.isArray(listed) ? (listed as Refusal[]) : keyRefusal(error);
}
