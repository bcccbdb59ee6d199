// A toolbar: one stop of the Tab key, with the arrow keys between its buttons.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { leftToRight } from "./direction";

export interface ToolbarProps {
  label: string;
  /** The id of what its buttons change. */
  controls: string;
  children: ComponentChildren;
}

export function RovingToolbar({ label, controls, children }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const buttons = (): HTMLElement[] => [...(bar.current?.querySelectorAll<HTMLElement>(":scope > button") ?? [])];
  const choose = (chosen: HTMLElement | undefined): void => {
    for (const each of buttons()) each.tabIndex = each === chosen ? 0 : -1;
  };
  useLayoutEffect(() => {
    const all = buttons();
    choose(all.find((each) => each.tabIndex === 0 && each.hasAttribute("tabindex")) ?? all[0]);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = buttons();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[leftToRight(event.key)];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    all[(to + all.length) % all.length]!.focus();
  };
  return (
    <div
      ref={bar}
      class="toolbar"
      role="toolbar"
      aria-label={label}
      aria-controls={controls}
      onKeyDown={onKeyDown}
      onFocusIn={(event) =>
        event.target instanceof HTMLElement && event.target.parentElement === bar.current && choose(event.target)
      }
      onMouseDown={(event) => event.preventDefault()}
    >
      {children}
    </div>
  );
}
