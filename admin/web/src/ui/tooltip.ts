// Tooltips: one popover for all elements with data-tip, shown on hover and on focus by key.
// The text is the name of the element already, so that screen readers ignore the popover.

let tip: HTMLElement | undefined;
let timer: number | undefined;
let owner: Element | undefined;

/** Starts to show tooltips; main calls it once. */
export function startTooltips() {
  addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") follow(event.target, 400);
  });
  addEventListener("focusin", (event) => {
    if (event.target instanceof Element && event.target.matches(":focus-visible")) follow(event.target, 0);
  });
  addEventListener("focusout", hide);
  addEventListener("pointerdown", hide);
  addEventListener("scroll", hide, { capture: true, passive: true });
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
}

function follow(target: EventTarget | null, delay: number) {
  const found = target instanceof Element ? target.closest("[data-tip]") : null;
  if (found === (owner ?? null)) return;
  hide();
  if (!found) return;
  owner = found;
  timer = window.setTimeout(() => show(found), delay);
}

function show(at: Element) {
  const text = at.getAttribute("data-tip");
  if (!text || !at.isConnected || at.getAttribute("aria-expanded") === "true") return;
  if (!tip) {
    tip = document.createElement("div");
    tip.className = "tooltip";
    tip.popover = "manual";
    tip.setAttribute("aria-hidden", "true");
    document.body.append(tip);
  }
  tip.textContent = text;
  tip.showPopover();
  const box = at.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const below = box.bottom + size.height + 8 < innerHeight;
  tip.style.left = `${Math.max(4, Math.min(innerWidth - size.width - 4, box.left + box.width / 2 - size.width / 2))}px`;
  tip.style.top = `${below ? box.bottom + 6 : box.top - size.height - 6}px`;
}

function hide() {
  clearTimeout(timer);
  owner = undefined;
  if (tip?.matches(":popover-open")) tip.hidePopover();
}
