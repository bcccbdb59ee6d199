// Toasts: what was done, with a way back. Screen readers hear them by the live region.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../core/i18n";
import { announce } from "../core/live-region";
import { Button, IconButton } from "./button";
import { Icon } from "./icon";

export interface Toast {
  text: string;
  kind?: "done" | "error" | "info";
  /** A button that takes it back, or goes on from it. */
  action?: { label: string; run: () => void };
  /** How long it stays, in ms: 6,000 by default, 10,000 with an action; errors stay until they are closed. */
  stay?: number;
}

const toasts = signal<(Toast & { id: number })[]>([]);
let last = 0;

/** Shows a toast; gives back what takes it away. */
export function toast(shown: Toast): () => void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-2), { ...shown, id }];
  announce(shown.action ? `${shown.text} ${shown.action.label}` : shown.text);
  return () => dismiss(id);
}

/** Shows that something was done, with Undo. */
export function toastUndo(text: string, undo: () => void) {
  toast({ text, kind: "done", action: { label: t("undo"), run: undo } });
}

/** Shows an error in the words of the server. */
export function toastError(error: unknown) {
  toast({ kind: "error", text: error instanceof Error ? error.message : String(error) });
}

function dismiss(id: number) {
  toasts.value = toasts.value.filter((other) => other.id !== id);
}

/** Where toasts appear; the shell has one. It is a popover, so that they are above dialogs. */
export function Toasts() {
  const box = useRef<HTMLElement>(null);
  const shown = toasts.value;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    if (element.matches(":popover-open")) element.hidePopover();
    if (shown.length > 0) element.showPopover();
  }, [shown]);
  return (
    <section ref={box} class="toasts" popover="manual" aria-label={t("notifications")}>
      {shown.map((one) => (
        <ToastCard key={one.id} toast={one} close={() => dismiss(one.id)} />
      ))}
    </section>
  );
}

function ToastCard({ toast, close }: { toast: Toast; close: () => void }) {
  const held = useRef(false);
  useEffect(() => {
    if (toast.kind === "error" && toast.stay === undefined) return;
    let left = toast.stay ?? (toast.action ? 10_000 : 6_000);
    const timer = setInterval(() => {
      if (held.current || document.hidden) return;
      left -= 250;
      if (left <= 0) close();
    }, 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <div
      class={`toast ${toast.kind ?? "info"}`}
      onPointerEnter={() => (held.current = true)}
      onPointerLeave={() => (held.current = false)}
      onFocusCapture={() => (held.current = true)}
      onBlurCapture={() => (held.current = false)}
    >
      <Icon name={toast.kind === "error" ? "error" : toast.kind === "done" ? "check" : "info"} />
      <p>{toast.text}</p>
      {toast.action && (
        <Button
          small
          variant="quiet"
          onClick={() => {
            close();
            toast.action?.run();
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton small icon="close" label={t("close")} onClick={close} />
    </div>
  );
}
