// Dragging with a finger or a pen: who holds a file or a folder for a moment takes it along,
// and lets go of it over a folder. Mice drag as browsers do.

import { signal } from "@preact/signals";
import { carry, type Dragged } from "./moving";

/** What is held; null while nothing is. */
export const held = signal<Dragged | null>(null);

/** The folder that the finger is over: a documentId, "" for the top, undefined for none. */
export const heldOver = signal<string | undefined>(undefined);

const holdFor = 350; // milliseconds
const still = 8; // pixels that a finger may move meanwhile

/** Begins when a finger comes down on something that can be moved. */
export function hold(event: PointerEvent, what: () => Dragged) {
  if (event.pointerType === "mouse" || !event.isPrimary) return;
  const { pointerId, clientX, clientY } = event;
  const timer = setTimeout(() => (held.value = what()), holdFor);
  const move = (to: PointerEvent) => {
    if (to.pointerId !== pointerId) return;
    const now = held.peek();
    if (!now) {
      if (Math.hypot(to.clientX - clientX, to.clientY - clientY) > still) end();
      return;
    }
    const over = folderAt(to.clientX, to.clientY);
    heldOver.value = over !== undefined && now.folders.includes(over) ? undefined : over;
  };
  const drop = (up: PointerEvent) => {
    if (up.pointerId !== pointerId) return;
    const now = held.peek();
    const over = heldOver.peek();
    end();
    if (now && over !== undefined) void carry(now, over || null);
  };
  const end = () => {
    clearTimeout(timer);
    held.value = null;
    heldOver.value = undefined;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", drop);
    removeEventListener("pointercancel", end);
    removeEventListener("touchmove", keep);
    removeEventListener("contextmenu", keep);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", end);
  addEventListener("touchmove", keep, { passive: false });
  addEventListener("contextmenu", keep);
}

/** Keeps the browser from scrolling, and from its menu, while something is held. */
function keep(event: Event) {
  if (held.peek()) event.preventDefault();
}

function folderAt(x: number, y: number): string | undefined {
  return document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-drop]")?.dataset["drop"];
}
