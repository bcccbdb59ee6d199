// The page on which a document is edited. It is loaded when it is first needed.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../core/api";
import { t } from "../core/i18n";
import { watch } from "../core/live";
import { Link, navigate, place, useTitle } from "../core/router";
import { type ContentType, schema, typeOf, typePath } from "../core/schema";
import type { PaneProps } from "../preview/pane";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { lazy } from "../ui/lazy";
import { toast, toastError } from "../ui/toasts";
import { pathOf, publish } from "./actions";
import { Bar, closePreview, previewing } from "./bar";
import { Conflicts } from "./conflicts";
import { madeBy, Sheet, SheetProvider, useSheet } from "./context";
import { OpenedDocument } from "./drawer";
import { Editing } from "./editing";
import { FaultSummary } from "./faults";
import { Fields } from "./fields/fields";
import { BesideHead, BesideProvider } from "./locales/beside";
import { Notices } from "./notices";
import { isNewName, newName } from "./opening";
import { reshape } from "./reshape";
import { useFormCommands, useShortcuts } from "./shortcuts";
import { Side } from "./side";
import { Suggestions } from "./suggesting";

const { Lazy: Preview } = lazy<PaneProps>(() => import("../preview/pane"), true);

export interface EditorProps {
  uid: string;
  /** null for a single type; "new" for what is not created yet. */
  documentId: string | null;
  view: "edit" | "history";
}

export default function EditorPage({ uid, documentId }: EditorProps) {
  const type = typeOf(uid);
  const locale = type?.localized ? (place.value.query.get("locale") ?? defaultLocale()) : null;
  if (!type) return <Failure type={null} error={new ApiError(404, "NotFoundError", "")} />;
  if (documentId === "new") return <NewDocument type={type} />;
  return <DocumentPage type={type} documentId={documentId} locale={locale} />;
}

const defaultLocale = (): string | null => schema.value?.locales.find((l) => l.isDefault)?.code ?? null;

/** Gives a new document a name in the URL, by which it is found again after a reload. */
function NewDocument({ type }: { type: ContentType }) {
  useEffect(() => {
    const query = place.peek().query.toString();
    void navigate(`/content/${type.uid}/${newName()}${query ? `?${query}` : ""}`, { replace: true, force: true });
  }, []);
  return null;
}

interface DocumentProps {
  type: ContentType;
  documentId: string | null;
  locale: string | null;
}

function DocumentPage({ type, documentId, locale }: DocumentProps) {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const shows = (s: Sheet | null) => s !== null && s.editing.type.uid === type.uid && s.editing.documentId.peek() === documentId && s.editing.locale === locale;
  useEffect(() => {
    if (shows(sheet)) return; // it has just been created, and is the same
    let left = false;
    setFailure(null);
    Editing.open(type, documentId, locale).then(
      (editing) => (left ? editing.close() : setSheet(new Sheet(editing))),
      (error: unknown) => !left && setFailure(error),
    );
    return () => void (left = true);
  }, [type.uid, documentId, locale]);
  const replaced = useRef<Sheet | null>(null);
  useEffect(() => {
    if (!sheet || !shows(sheet) || sheet.madeBy === madeBy(type)) return;
    let left = false;
    reshape(sheet.editing, type).then(
      (editing) => {
        if (left) return editing.close();
        replaced.current = sheet;
        keepFocus(() => setSheet(new Sheet(editing, sheet)));
      },
      (error: unknown) => !left && toastError(error),
    );
    return () => void (left = true);
  }, [type, sheet]);
  useEffect(() => () => sheet && (replaced.current === sheet ? sheet.editing.close() : leave(sheet.editing)), [sheet]);
  useNaming(sheet, documentId);
  if (failure) return <Failure type={type} error={failure} />;
  if (!sheet) return null;
  return (
    <SheetProvider value={sheet}>
      <EditorSheet key={sheet.name} />
    </SheetProvider>
  );
}

/** Does what draws the form anew; the field that has the focus has it afterwards. */
function keepFocus(draw: () => void) {
  const field = document.activeElement;
  const text = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field : null;
  const [start, end] = [text?.selectionStart ?? null, text?.selectionEnd ?? null];
  draw();
  if (!field?.id) return;
  setTimeout(() => {
    const again = document.getElementById(field.id);
    if (!again || again === document.activeElement) return;
    again.focus({ preventScroll: true });
    if (start !== null && (again instanceof HTMLInputElement || again instanceof HTMLTextAreaElement)) again.setSelectionRange(start, end);
  }, 50);
}

/** The URL follows the name that the server gives a new document; the page stays. */
function useNaming(sheet: Sheet | null, documentId: string | null) {
  const known = useRef<{ sheet: Sheet; id: string | null } | null>(null);
  const id = sheet?.editing.documentId.value ?? null;
  useEffect(() => {
    const before = known.current;
    known.current = sheet && { sheet, id };
    if (sheet && id && before?.sheet === sheet && before.id === documentId && id !== documentId) {
      void navigate(pathOf(sheet.editing, id), { replace: true, force: true });
    }
  }, [sheet, id]);
}

/** What was typed and not saved is kept; a word about it. */
function leave(editing: Editing) {
  if (editing.dirty.peek() && !editing.refusal("update")) {
    const id = editing.documentId.peek();
    toast({
      text: t("editor.kept", { title: editing.title.peek() || t("editor.untitled") }),
      action: { label: t("editor.go-back"), run: () => void navigate(pathOf(editing, id ?? "")) },
    });
  }
  editing.close();
}

function Failure({ type, error }: { type: ContentType | null; error: unknown }) {
  const missing = error instanceof ApiError && (error.status === 404 || error.status === 403);
  useTitle(missing ? t("editor.missing") : t("editor.not-loaded"));
  return (
    <Empty
      page
      icon={missing ? "search" : "warning"}
      title={missing ? t("editor.missing") : t("editor.not-loaded")}
      action={missing ? type && <Link to={typePath(type)}>{t("editor.to-list", { type: type.displayName })}</Link> : <Button onClick={() => location.reload()}>{t("retry")}</Button>}
    >
      {missing ? t("editor.missing-text") : error instanceof Error ? error.message : ""}
    </Empty>
  );
}

/** The form with its bar and its side. */
function EditorSheet() {
  const sheet = useSheet();
  const { editing } = sheet;
  const { type, locale } = editing;
  const documentId = editing.documentId.value;
  const title = editing.title.value || (editing.isNew ? t("editor.new", { type: type.displayName }) : type.kind === "singleType" ? type.displayName : t("editor.untitled"));
  useTitle(title);
  const keys = { sheet, save: () => void editing.save(), publish: () => void publish(editing) };
  useShortcuts(keys);
  useFormCommands(keys);
  useEffect(() => watch(isNewName(documentId) ? { uid: type.uid } : { uid: type.uid, single: documentId === null, ...(documentId && { documentId }), ...(locale && { locale }) }), [documentId, locale]);
  useEffect(() => {
    const field = place.peek().query.get("field");
    if (field) sheet.showField(field);
    else if (editing.isNew && !sheet.locked) sheet.focusFirst();
  }, []);
  const form = editing.form.value;
  const shown = type.preview && previewing.value;
  return (
    <BesideProvider editing={editing}>
      <div class={shown ? "editor previewing" : "editor"}>
        <Bar title={title} />
        <div class="editor-columns">
          <div class="editor-main">
            <Notices />
            <Conflicts />
            <FaultSummary />
            <h1 class="visually-hidden">{title}</h1>
            <div class="editor-form">
              <BesideHead form={form} />
              <Fields key={form.name} form={form} type={type} titleFirst />
            </div>
          </div>
          <Side />
        </div>
        {shown && <Preview sheet={sheet} onClose={closePreview} />}
      </div>
      <OpenedDocument />
      <Suggestions />
    </BesideProvider>
  );
}
