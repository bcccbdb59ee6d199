// The state and the time of a release, as lists and pages show them.

import { formatDateTime } from "../core/i18n";
import { Icon } from "../ui/icon";
import type { Release, State } from "./release";
import { t } from "./words";

/** When a release was done or will be; a dash for none. */
export function whenOf({ state, at, doneAt, retryAt }: Release): string {
  if (state === "done" && doneAt) return formatDateTime(doneAt);
  const next = retryAt ?? at;
  return next ? formatDateTime(next) : "–";
}

/** The state of a release in words and shape. */
export function StateBadge({ state }: { state: State }) {
  const icons = { planned: "edit", scheduled: "clock", done: "check", failed: "error" } as const;
  return (
    <span class={`release-state ${state}`}>
      <Icon name={icons[state]} size={14} />
      {t(`state-${state}`)}
    </span>
  );
}
