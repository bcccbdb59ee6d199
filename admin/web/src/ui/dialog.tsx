// Dialogs, drawers and questions: the browser's <dialog>, which keeps the focus inside and
// gives it back when it closes.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../core/i18n";
import { Button, IconButton } from "./button";

export interface DialogProps {
  open: boolean;
  /** Escape, the cross, or a click beside it. */
  onClose: () => void;
  title: string;
  /** Buttons at the bottom; the last one is what the dialog is for. */
  footer?: ComponentChildren;
  size?: "small" | "medium" | "large";
  /** Neither Escape nor a click beside it closes it, and it has no cross. */
  stays?: boolean;
  /** The title is for screen readers alone, and there is no cross. */
  hideHead?: boolean;
  class?: string;
  children?: ComponentChildren;
}

export function Dialog(props: DialogProps) {
  return <Modal {...props} shape={`dialog ${props.size ?? "medium"}`} />;
}

/** A dialog at the side, over the full height: for work beside the page. */
export function Drawer({ side = "end", ...props }: DialogProps & { side?: "start" | "end" }) {
  return <Modal {...props} shape={`drawer ${side} ${props.size ?? "medium"}`} />;
}

function Modal({ open, onClose, title, footer, stays, hideHead, shape, class: extra, children }: DialogProps & { shape: string }) {
  const element = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget | null>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog || !open) return;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [open]);
  if (!open) return null;
  return (
    <dialog
      ref={element}
      class={`${shape}${extra ? ` ${extra}` : ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return; // of an input of files
        event.preventDefault();
        if (!stays) onClose();
      }}
      onPointerDown={(event) => (pressed.current = event.target)}
      onClick={(event) => {
        if (!stays && event.target === element.current && pressed.current === element.current) onClose();
      }}
    >
      <div class="dialog-inner">
        <header class={hideHead ? "visually-hidden" : "dialog-head"}>
          <h2 id={id}>{title}</h2>
          {!stays && !hideHead && <IconButton icon="close" label={t("close")} onClick={onClose} />}
        </header>
        <div class="dialog-body">{children}</div>
        {footer && <footer class="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  );
}

export interface Question {
  /** Names the thing: Delete “The Blue Door”? */
  title: string;
  body?: ComponentChildren;
  /** The verb on the button: Delete. */
  action: string;
  danger?: boolean;
  /** What the other button says, if it is not Cancel. */
  cancel?: string;
}

const asked = signal<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** Asks the user; resolves to whether the action was chosen. Enter alone chooses nothing dangerous. */
export function confirm(question: Question): Promise<boolean> {
  asked.peek()?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = null;
        resolve(yes);
      },
    };
  });
}

/** Where questions appear; the shell has one. */
export function Questions() {
  const question = asked.value;
  useEffect(() => () => asked.peek()?.answer(false), []);
  if (!question) return null;
  const { title, body, action, danger, cancel, answer } = question;
  return (
    <QuestionDialog title={title} action={action} danger={danger} cancel={cancel} focus={danger ? "cancel" : "action"} onAction={() => answer(true)} onClose={() => answer(false)}>
      {body}
    </QuestionDialog>
  );
}

interface QuestionDialogProps {
  title: string;
  /** The verb on the button. */
  action: string;
  danger?: boolean;
  busy?: boolean;
  /** What the other button says, if it is not Cancel. */
  cancel?: string;
  /** The button that Enter presses. */
  focus: "cancel" | "action";
  onAction: () => void;
  onClose: () => void;
  children?: ComponentChildren;
}

/** A small dialog with two buttons: what is asked, and leaving it. */
export function QuestionDialog({ title, action, danger, busy, cancel, focus, onAction, onClose, children }: QuestionDialogProps) {
  return (
    <Dialog
      open
      size="small"
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose} autofocus={focus === "cancel"}>
            {cancel ?? t("cancel")}
          </Button>
          <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={onAction} autofocus={focus === "action"}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
