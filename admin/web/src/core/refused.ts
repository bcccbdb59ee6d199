// What an error of the server says to the person: the most frequent ones in their language.

import { language, t } from "./i18n";

/** The sentence for each name of an error, and whether what the server says is always added to it. */
const sentences = {
  ValidationError: ["error.invalid", true],
  ConflictError: ["error.conflict", true],
  ServiceUnavailableError: ["error.busy", true],
  ForbiddenError: ["error.forbidden", false],
  NotFoundError: ["error.not-found", false],
  PreconditionFailedError: ["error.changed", false],
  PayloadTooLargeError: ["error.too-large", false],
  RateLimitError: ["error.many", false],
  InsufficientStorageError: ["error.full", false],
  InternalServerError: ["error.server", false],
} as const;

/**
 * The server speaks English. In other languages its sentence stands in parentheses, where it says
 * what or which: for errors of the form, and if there are details.
 */
export function sentenceOf(name: string, message: string, details: Record<string, unknown>): string {
  if (language.value === "en" || !(name in sentences)) return message;
  const [key, always] = sentences[name as keyof typeof sentences];
  return always || Object.keys(details).length > 0 ? `${t(key)} (${message})` : t(key);
}
