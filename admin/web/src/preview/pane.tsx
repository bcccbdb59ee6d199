// The page of a document beside its form. It is loaded when it is first opened.

import { effect, signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { language } from "../core/i18n";
import type { Sheet } from "../editor/context";
import { Button, IconButton } from "../ui/button";
import { isRightToLeft, leftToRight } from "../ui/direction";
import { toast } from "../ui/toasts";
import { Frame } from "./frame";
import { Shown } from "./shown";
import { t } from "./words";

export interface PaneProps {
  sheet: Sheet;
  onClose: () => void;
}

const widths = { phone: 390, desktop: 1280 };
type Size = keyof typeof widths;

const size = signal<Size>(matchMedia("(width < 1000px)").matches ? "phone" : "desktop");
const share = signal(Number(localStorage.getItem("quire-preview")) || 50); // percent of the page

export default function Pane({ sheet, onClose }: PaneProps) {
  const [shown] = useState(() => new Shown(sheet.editing));
  const [popup, setPopup] = useState<Window | null>(null);
  const box = useRef<HTMLElement>(null);
  const frame = useRef<Frame | null>(null);
  useEffect(() => () => shown.close(), []);
  useEffect(() => effect(() => follow(sheet, shown, frame.current)), [sheet]);
  useEffect(() => {
    const enter = () => sayFocus(sheet, frame.current);
    addEventListener("focusin", enter);
    return () => removeEventListener("focusin", enter);
  }, [sheet]);
  useEffect(() => box.current?.closest<HTMLElement>(".editor")?.style.setProperty("--preview", `${share.value}%`), [share.value]);
  useEffect(() => () => popup?.close(), [popup]);
  const open = (name: string) => {
    if (getComputedStyle(document.querySelector(".editor-columns") ?? document.body).visibility === "hidden") onClose(); // on a narrow page it hides the form
    window.focus();
    sheet.showField(name);
  };
  const leave = () => {
    const opened = window.open("", "", "popup,width=1280,height=900");
    if (!opened) {
      toast({ kind: "error", text: t("blocked") });
      return;
    }
    opened.document.title = t("title");
    opened.document.documentElement.lang = language.peek();
    opened.addEventListener("pagehide", () => setPopup(null));
    setPopup(opened);
  };
  const url = shown.url.value;
  const problem = shown.problem.value;
  const typed = sheet.editing.dirty.value && !sheet.locked;
  return (
    <section ref={box} class="preview-pane" aria-labelledby="preview-title">
      <Resizer />
      <header class="preview-head">
        <h2 id="preview-title">{t("title")}</h2>
        <div class="preview-sizes" role="group" aria-label={t("size")}>
          {(Object.keys(widths) as Size[]).map((each) => (
            <Button key={each} small variant="quiet" aria-pressed={size.value === each} onClick={() => (size.value = each)}>
              {t(each)}
            </Button>
          ))}
        </div>
        <IconButton icon="redo" label={t("reload")} onClick={() => url && frame.current?.show(url)} />
        <IconButton icon="external" label={t("window")} disabled={popup !== null} onClick={leave} />
        <IconButton icon="close" label={t("close")} onClick={onClose} />
      </header>
      <p class={`preview-state${problem ? " problem" : ""}`} role="status">
        {problem ? t("problem", { reason: problem }) : !url ? t("loading") : t(typed ? "follows" : "stored")}
      </p>
      {popup ? (
        <div class="preview-page outside">
          <p>{t("outside")}</p>
          <Button onClick={() => setPopup(null)}>{t("back")}</Button>
        </div>
      ) : null}
      {url && <Page key={popup ? "outside" : "here"} popup={popup} shown={shown} open={open} onReady={(ready) => sayFocus(sheet, ready)} onFrame={(made) => (frame.current = made)} />}
    </section>
  );
}

/** Sends each change of the form, and what is typed into a text at once. */
function follow(sheet: Sheet, shown: Shown, frame: Frame | null) {
  const { editing } = sheet;
  const form = editing.form.value;
  void [form.changes.value, editing.loaded.value, editing.documentId.value];
  shown.later();
  const path = sheet.pathOf(document.activeElement);
  const value = path && form.value(path).peek();
  if (path && typeof value === "string") frame?.say("strapiFieldChange", { field: sheet.fieldOf(path), value });
}

/** Says which field the person is in. */
function sayFocus(sheet: Sheet, frame: Frame | null) {
  const path = sheet.pathOf(document.activeElement);
  if (path) frame?.say("strapiFieldFocus", { field: sheet.fieldOf(path) });
  else frame?.say("strapiFieldBlur");
}

interface PageProps {
  popup: Window | null;
  shown: Shown;
  open: (field: string) => void;
  onReady: (frame: Frame) => void;
  onFrame: (frame: Frame | null) => void;
}

/** The frame, here or in another window. Its address changes with the form, as with a slug. */
function Page({ popup, shown, open, onReady, onFrame }: PageProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const made: Frame = new Frame(popup ?? window, t("frame"), open, () => onReady(made));
    const { element } = made;
    onFrame(made);
    (popup?.document.body ?? box.current)?.append(element);
    let address = "";
    const stops = [
      effect(() => {
        const url = shown.url.value ?? "";
        void shown.changes.value;
        if (url === address) made.refresh();
        else made.show((address = url));
      }),
      popup ? fill(element, popup) : fit(element, box.current as HTMLElement),
    ];
    return () => {
      for (const stop of stops) stop();
      made.remove();
      onFrame(null);
    };
  }, []);
  return <div ref={box} class="preview-page" hidden={popup !== null} />;
}

/** A window of its own has nothing but the page. */
function fill(element: HTMLIFrameElement, popup: Window) {
  popup.document.body.style.margin = "0";
  Object.assign(element.style, { border: "0", display: "block", width: "100vw", height: "100vh" });
  return () => undefined;
}

/** Gives a frame the width of a phone or of a desktop, made smaller where there is less. */
function fit(element: HTMLIFrameElement, box: HTMLElement) {
  const lay = () => {
    const width = size.value === "phone" ? widths.phone : Math.max(widths.desktop, box.clientWidth);
    const scale = Math.min(1, box.clientWidth / width);
    Object.assign(element.style, { width: `${width}px`, height: `${box.clientHeight / scale}px`, transform: `scale(${scale})`, left: `${Math.max(0, (box.clientWidth - width) / 2)}px` });
  };
  const observer = new ResizeObserver(lay);
  observer.observe(box);
  const stop = effect(lay);
  return () => {
    stop();
    observer.disconnect();
  };
}

/** What is between the form and the page, and is moved by pointer or by keys. */
function Resizer() {
  const move = (to: number) => {
    share.value = Math.round(Math.min(75, Math.max(25, to)));
    localStorage.setItem("quire-preview", String(share.value));
  };
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    const page = handle.closest(".editor")?.getBoundingClientRect();
    if (page && handle.hasPointerCapture(event.pointerId)) move((100 * (isRightToLeft() ? event.clientX - page.left : page.right - event.clientX)) / page.width);
  };
  const key = (event: KeyboardEvent) => {
    const to = { ArrowLeft: share.value + 5, ArrowRight: share.value - 5, Home: 75, End: 25 }[leftToRight(event.key)];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div
      class="preview-resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={t("width")}
      aria-valuenow={share.value}
      aria-valuemin={25}
      aria-valuemax={75}
      tabIndex={0}
      onKeyDown={key}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}
