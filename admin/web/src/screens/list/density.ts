// How high the rows of lists are, on this device.

import { computed, signal } from "@preact/signals";
import { preference, remember } from "../../core/session";

/** Whether rows are close together. */
export const compact = computed(() => preference("list.compact") === true);

export function setCompact(on: boolean): void {
  remember("list.compact", on || undefined);
}

const phone = matchMedia("(width < 640px)");

/** Whether the window is so narrow that a row is a card of two lines. */
export const narrow = signal(phone.matches);
phone.addEventListener("change", () => (narrow.value = phone.matches));

/** px */
export const rowHeight = computed(() => (narrow.value ? 60 : compact.value ? 28 : 36));
