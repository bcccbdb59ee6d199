// Adding to the steps of a release, of which no two may be about the same version of a document.

import type { Step } from "./release";

export const sameDocument = (a: Step, b: Step): boolean => a.type === b.type && (a.documentId ?? "") === (b.documentId ?? "");

/**
 * The steps with one more. It takes the place of what they did to the same version of the
 * document. localesOf gives the locales of a step, none for a type without locales.
 */
export function withStep(steps: readonly Step[], added: Step, localesOf: (step: Step) => readonly string[]): Step[] {
  const taken = localesOf(added);
  const rest = steps.flatMap((step): Step[] => {
    if (!sameDocument(step, added)) return [step];
    const locales = localesOf(step);
    if (taken.length === 0 || taken.includes("*") || locales.includes("*")) return [];
    const left = locales.filter((locale) => !taken.includes(locale));
    return left.length === locales.length ? [step] : left.length > 0 ? [{ ...step, locales: left }] : [];
  });
  return [...rest, added];
}
