// A combobox: a field to type in and a list of what fits, as the ARIA pattern has it. What
// fits comes from a function, which may ask the server.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../core/i18n";
import { placeBeside } from "./menu";

export interface ComboboxProps<T> {
  /** The ids of a Field, or a label of its own. */
  id?: string;
  label?: string;
  describedBy?: string;
  placeholder?: string;
  /** What fits the text; it is asked 100 ms after a key, and the answers to older texts are dropped. */
  search: (text: string, signal: AbortSignal) => Promise<readonly T[]> | readonly T[];
  keyOf: (option: T) => string;
  show: (option: T) => ComponentChildren;
  /** An option was chosen; text is what was typed. The field is emptied. */
  onChoose: (option: T, text: string) => void;
  /** Another entry at the end of the list: "Create “text”". */
  extra?: (text: string) => { label: string; onSelect: () => void } | null;
  disabled?: boolean;
  autofocus?: boolean;
}

export function Combobox<T>({ id: given, label, describedBy, placeholder, search, keyOf, show, onChoose, extra, disabled, autofocus }: ComboboxProps<T>) {
  const made = useId();
  const id = given ?? made;
  const [text, setText] = useState("");
  const [options, setOptions] = useState<readonly T[] | null>(null);
  const [active, setActive] = useState(0);
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!open) return;
    const asked = new AbortController();
    const ask = async () => {
      try {
        const found = await search(text, asked.signal);
        if (asked.signal.aborted) return;
        setOptions(found);
        setActive(0);
      } catch {
        if (!asked.signal.aborted) setOptions([]);
      }
    };
    const timer = setTimeout(() => void ask(), text === "" ? 0 : 100);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [text, open]);

  useEffect(() => {
    const element = list.current;
    if (!element) return;
    if (open && options) {
      if (!element.matches(":popover-open")) element.showPopover();
      element.style.minWidth = `${input.current?.offsetWidth ?? 0}px`;
      placeBeside(element, input.current);
    } else if (element.matches(":popover-open")) element.hidePopover();
  }, [open, options]);

  useEffect(() => {
    if (!open) return;
    const follow = () => list.current && placeBeside(list.current, input.current);
    addEventListener("scroll", follow, { capture: true, passive: true });
    return () => removeEventListener("scroll", follow, { capture: true });
  }, [open]);

  const more = extra?.(text) ?? null;
  const count = (options?.length ?? 0) + (more ? 1 : 0);
  const close = () => {
    setOpen(false);
    setOptions(null);
  };
  const choose = (at: number) => {
    const option = options?.[at];
    if (option !== undefined) onChoose(option, text);
    else if (more) more.onSelect();
    else return;
    setText("");
    close();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) setOpen(true);
      else if (count > 0) setActive((active + (event.key === "ArrowDown" ? 1 : count - 1)) % count);
    } else if (event.key === "Enter" && open && count > 0) {
      event.preventDefault();
      choose(active);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  useEffect(() => {
    list.current?.querySelector(`[id="${id}-option-${active}"]`)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  return (
    <>
      <input
        ref={input}
        id={id}
        class="input"
        type="text"
        role="combobox"
        autocomplete="off"
        aria-label={label}
        aria-describedby={describedBy}
        aria-expanded={open && options !== null}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && count > 0 ? `${id}-option-${active}` : undefined}
        value={text}
        placeholder={placeholder}
        disabled={disabled}
        autofocus={autofocus}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onBlur={close}
        onKeyDown={keys}
      />
      <div ref={list} id={`${id}-list`} class="menu options" popover="manual" role="listbox" aria-label={label ?? placeholder}>
        {open && options?.map((option, i) => row(keyOf(option), i, show(option)))}
        {open && more && row("extra", options?.length ?? 0, more.label)}
        {open && options !== null && count === 0 && (
          <div class="menu-empty" role="option" aria-disabled="true" aria-selected="false">
            {t("nothing-found")}
          </div>
        )}
      </div>
    </>
  );

  function row(key: string, at: number, children: ComponentChildren) {
    return (
      <div
        key={key}
        id={`${id}-option-${at}`}
        class="menu-item"
        role="option"
        aria-selected={at === active}
        onPointerMove={() => at !== active && setActive(at)}
        onPointerDown={(event) => event.preventDefault()} // the field keeps the focus
        onClick={() => choose(at)}
      >
        {children}
      </div>
    );
  }
}
