// The frame of the pages before the admin: signing in and setting up.

import type { ComponentChildren } from "preact";
import { language, languages, t, type Language } from "../core/i18n";
import { chooseLanguage } from "../core/session";
import { Icon } from "../ui/icon";
import { Logo } from "./logo";

export function Door({ title, text, children }: { title: string; text?: string; children: ComponentChildren }) {
  return (
    <main class="door">
      <div class="door-card">
        <header>
          <Logo size={40} />
          <h1>{title}</h1>
          {text && <p class="quiet-text">{text}</p>}
        </header>
        {children}
      </div>
      <Languages />
    </main>
  );
}

function Languages() {
  return (
    <div class="door-languages" role="group" aria-label={t("shell.language")}>
      {(Object.keys(languages) as Language[]).map((code) => (
        <button key={code} type="button" lang={code} aria-pressed={language.value === code} onClick={() => void chooseLanguage(code)}>
          {languages[code]}
        </button>
      ))}
    </div>
  );
}

/** What is wrong with the form as a whole. */
export function FormError({ text }: { text: string }) {
  return (
    <div role="alert" class={text ? undefined : "visually-hidden"}>
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
