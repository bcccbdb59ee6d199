// The frame of the pages before the admin: signing in and setting up.

import type { ComponentChildren } from "preact";
import { Icon } from "../ui/icon";

export function Door({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main class="door">
      <div class="door-card">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** What is wrong with the form as a whole. */
export function FormError({ text }: { text: string }) {
  return (
    <div role="alert">
      {text && (
        <p class="notice error">
          <Icon name="error" />
          <span>{text}</span>
        </p>
      )}
    </div>
  );
}

/** Focuses the first field of a form that is wrong. */
export function focusInvalid(form: HTMLFormElement) {
  requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid]")?.focus());
}
