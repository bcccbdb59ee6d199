// Inputs: of the browser, in our clothes. Values go in, onInput gives new ones back.

import type { ComponentChildren, HTMLAttributes, InputHTMLAttributes } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../core/i18n";
import { textSplices } from "../core/splices";
import { IconButton } from "./button";
import { Icon } from "./icon";

type Native<E extends HTMLElement> = Omit<HTMLAttributes<E>, "value" | "onInput" | "onChange" | "size" | "label" | "role">;

export interface TextInputProps extends Native<HTMLInputElement> {
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "email" | "password" | "search" | "url" | "date" | "time" | "datetime-local" | "number";
  disabled?: boolean;
  readOnly?: boolean;
  placeholder?: string;
  maxLength?: number;
  autocomplete?: string;
  inputMode?: "text" | "numeric" | "decimal" | "email" | "url" | "search";
  name?: string;
  min?: string | number;
  max?: string | number;
  step?: string | number;
  spellcheck?: boolean;
  mono?: boolean;
}

export function TextInput({ value, onInput, mono, class: extra, ...rest }: TextInputProps) {
  return (
    <input
      type="text"
      dir="auto"
      {...(rest as InputHTMLAttributes<HTMLInputElement>)}
      class={`input${mono ? " mono" : ""}${extra ? ` ${String(extra)}` : ""}`}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

/** A password with a button that shows it. */
export function PasswordInput(props: TextInputProps) {
  const [shown, show] = useState(false);
  return (
    <div class="input-with-button">
      <TextInput {...props} type={shown ? "text" : "password"} spellcheck={false} />
      <IconButton
        small
        icon={shown ? "eye-off" : "eye"}
        label={shown ? t("password.hide") : t("password.show")}
        onClick={() => show(!shown)}
      />
    </div>
  );
}

export interface TextAreaProps extends Native<HTMLTextAreaElement> {
  value: string;
  onInput: (value: string) => void;
  disabled?: boolean;
  readOnly?: boolean;
  placeholder?: string;
  maxLength?: number;
  rows?: number;
  mono?: boolean;
  spellcheck?: boolean;
  /** Others may change the text meanwhile: the cursor stays in its line. */
  shared?: boolean;
}

/** A text of several lines, as high as what it holds. */
export function TextArea({ value, onInput, rows = 3, mono, shared, class: extra, ...rest }: TextAreaProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  useCursor(shared ? area.current : null, value);
  useLayoutEffect(() => {
    const element = area.current;
    if (!element || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [value]);
  return (
    <textarea
      dir="auto"
      {...rest}
      ref={area}
      rows={rows}
      class={`input area${mono ? " mono" : ""}${extra ? ` ${String(extra)}` : ""}`}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

/** Keeps the cursor in its line when the text of somebody else is shown. */
function useCursor(area: HTMLTextAreaElement | null, value: string) {
  const isOther = area !== null && area === document.activeElement && area.value !== value;
  const before = isOther && { text: area.value, from: area.selectionStart, to: area.selectionEnd };
  useLayoutEffect(() => {
    if (!area || !before) return;
    const { move } = textSplices(before.text, value, before);
    area.setSelectionRange(move(before.from), move(before.to));
  }, [value]);
}

export interface SelectProps extends Native<HTMLSelectElement> {
  value: string;
  onInput: (value: string) => void;
  options: readonly { value: string; label: string; disabled?: boolean }[];
  disabled?: boolean;
}

export function Select({ value, onInput, options, class: extra, ...rest }: SelectProps) {
  return (
    <span class={`select${extra ? ` ${String(extra)}` : ""}`}>
      <select {...rest} class="input" value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

export interface CheckboxProps extends Native<HTMLInputElement> {
  checked: boolean;
  onInput: (checked: boolean) => void;
  /** Neither: some of what it stands for is checked. */
  mixed?: boolean;
  disabled?: boolean;
  children?: ComponentChildren;
}

export function Checkbox({ checked, onInput, mixed = false, children, class: extra, ...rest }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = mixed;
  }, [mixed]);
  return (
    <label class={`checkbox${extra ? ` ${String(extra)}` : ""}`}>
      <input {...rest} ref={box} type="checkbox" checked={checked} onChange={(event) => onInput(event.currentTarget.checked)} />
      {children !== undefined && <span>{children}</span>}
    </label>
  );
}

/** On or off, at once. The label is the field's. */
export function Switch({ checked, onInput, children, class: extra, ...rest }: CheckboxProps) {
  return (
    <label class={`switch${extra ? ` ${String(extra)}` : ""}`}>
      <input {...rest} type="checkbox" role="switch" checked={checked} onChange={(event) => onInput(event.currentTarget.checked)} />
      <span class="switch-track" aria-hidden="true" />
      {children !== undefined && <span>{children}</span>}
    </label>
  );
}
