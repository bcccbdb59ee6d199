// Menus and popovers: the browser's popover, placed beside what opened it.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton, type ButtonProps } from "./button";
import { isRightToLeft } from "./direction";
import { Icon, type IconName } from "./icon";

export interface MenuItem {
  label: string;
  icon?: IconName;
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
  /** A choice: whether it is the chosen one. */
  checked?: boolean;
  /** The language of the label, if it is not that of the page. */
  lang?: string;
  /** Keys that do the same, shown at the right. */
  keys?: string;
}

/** A line between groups of items, with what they are about. */
export interface MenuGroup {
  group: string;
  items: MenuItem[];
}

export type MenuEntry = MenuItem | "line" | MenuGroup;

export interface MenuProps {
  /** The name of the button; it is shown unless the button is an icon alone. */
  label: string;
  icon?: IconName;
  /** The button is an icon alone. */
  iconOnly?: boolean;
  button?: Partial<Pick<ButtonProps, "variant" | "small" | "class" | "disabled">>;
  /** Instead of the label on the button. */
  children?: ComponentChildren;
  items: readonly MenuEntry[];
  align?: "start" | "end";
  onOpen?: () => void;
}

/** A button that opens a menu of actions or choices. */
export function Menu({ label, icon, iconOnly, button, children, items, align = "start", onOpen }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const opener = useRef<HTMLElement | null>(null);
  const [open, setOpen] = useState(false);

  const fromEnd = useRef(false);
  const show = (event: Event, last = false) => {
    opener.current = event.currentTarget as HTMLElement;
    fromEnd.current = last;
    onOpen?.();
    setOpen(true);
  };
  useLayoutEffect(() => {
    const element = list.current;
    if (!open || !element) return;
    element.showPopover();
    placeBeside(element, opener.current, align);
    options(element).at(fromEnd.current ? -1 : 0)?.focus();
  }, [open]);
  const hide = (refocus = true) => {
    if (list.current?.matches(":popover-open")) list.current.hidePopover();
    if (refocus) opener.current?.focus();
  };
  const props = {
    id: `${id}-button`,
    "aria-haspopup": "menu" as const,
    "aria-expanded": open,
    "aria-controls": id,
    onClick: (event: Event) => (open ? hide() : show(event)),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      show(event, event.key === "ArrowUp");
    },
  };
  const keys = (event: KeyboardEvent) => {
    const element = list.current;
    if (!element) return;
    const found = options(element);
    const at = found.indexOf(document.activeElement as HTMLElement);
    const to = nextOption(event.key, at, found.length);
    if (to !== null) found[to]?.focus();
    else if (event.key === "Tab") hide(false);
    else if (event.key === "Escape") hide();
    else if (event.key.length === 1 && event.key !== " ") findTyped(event, found, typed.current);
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {iconOnly ? (
        <IconButton icon={icon ?? "more"} label={label} small={button?.small} disabled={button?.disabled} {...props} />
      ) : (
        <Button icon={icon} {...button} {...props} aria-label={children === undefined ? undefined : label}>
          {children ?? label}
        </Button>
      )}
      <div
        ref={list}
        id={id}
        class="menu"
        popover="auto"
        role="menu"
        aria-labelledby={`${id}-button`}
        onKeyDown={keys}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {open && items.map((item, i) => entry(item, i, hide))}
      </div>
    </>
  );
}

function entry(item: MenuEntry, key: number, hide: () => void) {
  if (item === "line") return <hr key={key} role="separator" />;
  if ("group" in item) {
    return (
      <div key={key} role="group" aria-label={item.group}>
        <div class="menu-group" aria-hidden="true">
          {item.group}
        </div>
        {item.items.map((inner, i) => entry(inner, i, hide))}
      </div>
    );
  }
  return (
    <button
      key={key}
      type="button"
      class={`menu-item${item.danger ? " danger" : ""}`}
      role={item.checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={item.checked}
      aria-disabled={item.disabled}
      tabIndex={-1}
      onPointerEnter={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        if (item.disabled) return;
        hide();
        item.onSelect();
      }}
    >
      {item.checked === undefined ? item.icon ? <Icon name={item.icon} /> : null : <span class="menu-check">{item.checked && <Icon name="check" />}</span>}
      <span class="menu-label" lang={item.lang}>
        {item.label}
      </span>
      {item.keys && <kbd>{item.keys}</kbd>}
    </button>
  );
}

function options(element: HTMLElement): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(".menu-item")];
}

function nextOption(key: string, at: number, count: number): number | null {
  switch (key) {
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowUp":
      return (at + count - 1) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

function findTyped(event: KeyboardEvent, found: HTMLElement[], typed: { text: string; at: number }) {
  typed.text = (event.timeStamp - typed.at < 600 ? typed.text : "") + event.key.toLowerCase();
  typed.at = event.timeStamp;
  found.find((option) => option.textContent?.trim().toLowerCase().startsWith(typed.text))?.focus();
}

export interface PopoverProps {
  label: string;
  icon?: IconName;
  iconOnly?: boolean;
  button?: Partial<Pick<ButtonProps, "variant" | "small" | "class" | "disabled">>;
  /** Instead of the label on the button. */
  trigger?: ComponentChildren;
  align?: "start" | "end";
  /** What it shows while it is open; close closes it. */
  children: (close: () => void) => ComponentChildren;
}

/** A button that opens a small page of fields beside it. */
export function Popover({ label, icon, iconOnly, button, trigger, align = "start", children }: PopoverProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLElement | null>(null);
  const [open, setOpen] = useState(false);
  const close = () => {
    if (box.current?.matches(":popover-open")) box.current.hidePopover();
    opener.current?.focus();
  };
  const props = {
    "aria-haspopup": "dialog" as const,
    "aria-expanded": open,
    "aria-controls": id,
    onClick: (event: Event) => {
      if (open) return close();
      opener.current = event.currentTarget as HTMLElement;
      setOpen(true);
    },
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!open || !element) return;
    element.showPopover();
    placeBeside(element, opener.current, align);
    element.querySelector<HTMLElement>("input, select, textarea, button, [tabindex]")?.focus();
  }, [open]);
  return (
    <>
      {iconOnly ? (
        <IconButton icon={icon ?? "more"} label={label} small={button?.small} disabled={button?.disabled} {...props} />
      ) : (
        <Button icon={icon} {...button} {...props} aria-label={trigger === undefined ? undefined : label}>
          {trigger ?? label}
        </Button>
      )}
      <div
        ref={box}
        id={id}
        class="popover"
        popover="auto"
        role="dialog"
        aria-label={label}
        onToggle={(event) => setOpen(event.newState === "open")}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault(); // what is around it stays open
          event.stopPropagation();
          close();
        }}
      >
        {open && children(close)}
      </div>
    </>
  );
}

/** Places an element of the top layer below or above another, inside the window. */
export function placeBeside(element: HTMLElement, at: Element | null, align: "start" | "end" = "start") {
  if (!at) return;
  const box = at.getBoundingClientRect();
  element.style.maxHeight = "";
  const size = element.getBoundingClientRect();
  const under = innerHeight - box.bottom - 12;
  const over = box.top - 12;
  const below = size.height <= under || under >= over;
  const height = Math.min(size.height, below ? under : over);
  const left = (align === "start") !== isRightToLeft() ? box.left : box.right - size.width;
  element.style.left = `${Math.max(8, Math.min(innerWidth - size.width - 8, left))}px`;
  element.style.top = `${below ? box.bottom + 4 : box.top - height - 4}px`;
  element.style.maxHeight = `${below ? under : over}px`;
}
