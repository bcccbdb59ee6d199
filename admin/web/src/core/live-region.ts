// What screen readers are told: one polite live region for the whole admin.

let region: HTMLElement | undefined;
let timer: number | undefined;

/** Says text to screen readers, after what they are saying. */
export function announce(text: string) {
  if (!region) {
    region = document.createElement("div");
    region.className = "visually-hidden";
    region.setAttribute("role", "status");
    document.body.append(region);
  }
  const target = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
  if (region.parentElement !== target) target.append(region); // outside a modal dialog nothing is heard
  region.textContent = "";
  clearTimeout(timer);
  timer = window.setTimeout(() => region && (region.textContent = text), 60);
}
