// What can be done where the user is: by keys, and by name in the command palette.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { IconName } from "../ui/icon";
import { preference } from "./session";

export interface Command {
  /** What is done, in the words of its button: it is listed in the palette and in the help. */
  label: string;
  /** "Mod+S": Mod is Ctrl, and Cmd on a Mac. A single character works where nobody types. */
  keys?: string;
  icon?: IconName;
  run: () => void;
  /** Only keys: it is in the help, not in the palette. */
  keysOnly?: boolean;
  /** The piece listens to its keys by itself, as where it must be before an editor of text. */
  heard?: boolean;
}

/** Commands of the pieces that are on the page, the last mounted first. */
const mounted = signal<readonly { readonly commands: readonly Command[] }[]>([]);

/** All commands that there are now. */
export function commands(): Command[] {
  return mounted.value.flatMap((piece) => piece.commands);
}

/** Offers commands while the component is on the page. */
export function useCommands(list: readonly Command[]) {
  const what = list.map((command) => `${command.label} ${command.keys ?? ""}`).join("\n");
  const current = useRef(list);
  current.current = list;
  useLayoutEffect(() => {
    const piece = {
      commands: current.current.map((command, i) => ({ ...command, run: () => current.current[i]?.run() })),
    };
    mounted.value = [piece, ...mounted.peek()];
    return () => {
      mounted.value = mounted.peek().filter((other) => other !== piece);
    };
  }, [what]);
}

/** Whether single characters are keys of commands: the user may turn that off. */
export function characterKeys(): boolean {
  return preference("character-keys") !== false;
}

/** Listens to the keys of commands; main calls it once. */
export function startCommands() {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    const found = commands().find((command) => command.keys && !command.heard && matches(event, command.keys));
    if (!found?.keys || (isCharacter(found.keys) && (!characterKeys() || occupied(event)))) return;
    if (document.querySelector("dialog:modal") && !found.keys.startsWith("Mod+")) return;
    event.preventDefault();
    found.run();
  });
}

const mac = typeof navigator !== "undefined" && navigator.platform.startsWith("Mac");

/** Whether the event is of these keys. */
export function matches(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">, keys: string): boolean {
  const parts = keys.split("+");
  const key = parts.pop() ?? "";
  const mod = mac ? event.metaKey : event.ctrlKey;
  const other = mac ? event.ctrlKey : event.metaKey;
  const shift = parts.includes("Shift") || (isCharacter(keys) && event.shiftKey); // "?" is Shift+ß on some keyboards
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    mod === parts.includes("Mod") &&
    !other &&
    event.altKey === parts.includes("Alt") &&
    event.shiftKey === shift
  );
}

function isCharacter(keys: string): boolean {
  return keys.length === 1;
}

/** Whether the user is typing, or in something that has keys of its own. */
function occupied(event: KeyboardEvent): boolean {
  const target = event.target;
  return target instanceof HTMLElement && (target.isContentEditable || target.closest("input, textarea, select, [role=menu], [popover]") !== null);
}

/** Keys as the user's keyboard has them: "Ctrl+Shift+P", "⇧⌘P". */
export function formatKeys(keys: string): string {
  if (!mac) return keys.replace("Mod", "Ctrl");
  const parts = keys.split("+");
  const key = parts.pop() ?? "";
  const signs = { Alt: "⌥", Shift: "⇧", Mod: "⌘" } as const;
  return Object.entries(signs).map(([name, sign]) => (parts.includes(name) ? sign : "")).join("") + key.toUpperCase();
}
