// Buttons: of words, of an icon, and of both.

import type { ComponentChildren, HTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon";

type Native = Omit<HTMLAttributes<HTMLButtonElement>, "icon" | "size" | "label" | "role">;

export interface ButtonProps extends Native {
  variant?: "primary" | "secondary" | "quiet" | "danger";
  small?: boolean;
  icon?: IconName;
  /** What was asked is under way: the button stays where it is, and does nothing. */
  busy?: boolean;
  disabled?: boolean;
  type?: "button" | "submit";
  form?: string;
  children?: ComponentChildren;
}

export function Button({ variant = "secondary", small, icon, busy, type = "button", children, class: extra, onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      class={`button ${variant}${small ? " small" : ""}${extra ? ` ${String(extra)}` : ""}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest["aria-disabled"] || undefined}
      onClick={busy ? (event: Event) => event.preventDefault() : onClick}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

export interface IconButtonProps extends Native {
  icon: IconName;
  /** The name of the button, which its tooltip shows as well. */
  label: string;
  /** What it does at the moment, for the tooltip and screen readers; the name stays the same. */
  does?: string | undefined;
  small?: boolean;
  disabled?: boolean;
  pressed?: boolean;
  /** Keys that do the same, as for the tooltip: "Ctrl+S". */
  keys?: string;
}

export function IconButton({ icon, label, does, small, pressed, keys, class: extra, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`icon-button${small ? " small" : ""}${extra ? ` ${String(extra)}` : ""}`}
      aria-label={label}
      aria-description={does}
      aria-pressed={pressed}
      data-tip={keys ? `${does ?? label} (${keys})` : (does ?? label)}
    >
      <Icon name={icon} />
    </button>
  );
}
