// The status of a document in words and shape.

import { t } from "../core/i18n";
import type { Status } from "../core/schema";

const shapes = {
  draft: <circle cx="5" cy="5" r="3.5" />,
  modified: (
    <>
      <circle cx="5" cy="5" r="3.5" />
      <path d="M5 1.5a3.5 3.5 0 0 1 0 7z" class="filled" />
    </>
  ),
  published: <circle cx="5" cy="5" r="3.5" class="filled" />,
  scheduled: (
    <>
      <circle cx="5" cy="5" r="4" />
      <path d="M5 2.7V5l1.6 1" />
    </>
  ),
} as const;

export type ShownStatus = Status | "scheduled";

/** The shape alone has the word as its name. */
export function StatusBadge({ status, tip, shapeOnly }: { status: ShownStatus; tip?: string; shapeOnly?: boolean }) {
  const word = t(`status.${status}`);
  return (
    <span class={`status ${status}`} data-tip={tip ?? (shapeOnly ? word : undefined)}>
      <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
        {shapes[status]}
      </svg>
      <span class={shapeOnly ? "visually-hidden" : undefined}>{word}</span>
      {tip && <span class="visually-hidden">{tip}</span>}
    </span>
  );
}
