// Whether the mouse or a finger is down. What appears on the page between down and up
// moves what is pressed away, and the click is lost.

let pressed = false;
let waiting: (() => void)[] = [];

function release() {
  pressed = false;
  const acts = waiting;
  waiting = [];
  if (acts.length > 0) setTimeout(() => acts.forEach((act) => act())); // after the click
}

addEventListener("pointerdown", () => (pressed = true), { capture: true });
addEventListener("pointerup", release, { capture: true });
addEventListener("pointercancel", release, { capture: true });

/** Does something that can move the page once nothing is pressed. */
export function whenReleased(act: () => void) {
  if (pressed) waiting.push(act);
  else act();
}
