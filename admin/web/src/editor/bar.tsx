// What stays at the top of the editor: where one is, what state it is in, and what can be
// done.

import { signal, useSignal } from "@preact/signals";
import { formatAgo, t } from "../core/i18n";
import { Link, navigate, segment } from "../core/router";
import { may, listPath, schema } from "../core/schema";
import { maySite } from "../core/session";
import { Button, IconButton } from "../ui/button";
import { Icon } from "../ui/icon";
import { lazy } from "../ui/lazy";
import { Menu, type MenuEntry } from "../ui/menu";
import { StatusBadge } from "../ui/status";
import { copyPreviewLink, deleteDocument, discardChanges, duplicate, publish, unpublish } from "./actions";
import { type Sheet, useSheet } from "./context";
import type { Editing } from "./editing";
import { LocaleMenu } from "./locales/menu";
import { Presence } from "./presence";
import { scheduling } from "./schedule";
import { step, stepName } from "./shortcuts";

const { Lazy: AddToRelease } = lazy(() => import("../releases/add"));

const narrowPage = matchMedia("(width < 800px)");

/** On a narrow page, what is rarely needed is in the menu. */
const narrow = signal(narrowPage.matches);
narrowPage.addEventListener("change", () => (narrow.value = narrowPage.matches));

/** Whether the page of the document is beside the form, also of the next one. */
export const previewing = signal(false);

/** Gives the focus back to what opened it. */
export function closePreview() {
  previewing.value = false;
  document.getElementById("preview-toggle")?.focus();
}

export function Bar({ title }: { title: string }) {
  const sheet = useSheet();
  const { editing, locked } = sheet;
  const { type } = editing;
  return (
    <header class="editor-bar">
      <nav class="editor-place" aria-label={t("editor.place")}>
        {type.kind === "singleType" ? (
          <span class="quiet-text truncate">{type.displayName}</span>
        ) : (
          <Link to={listPath(type)} class="editor-back" aria-label={t("editor.to-list", { type: type.displayName })}>
            <Icon name="left" />
            <span class="truncate">{type.displayName}</span>
          </Link>
        )}
        <span class="editor-name truncate" aria-hidden="true">
          {title}
        </span>
        {type.draftAndPublish && <StatusBadge status={editing.status.value} />}
        {type.localized && <LocaleMenu />}
        <SavedState />
      </nav>
      <div class="editor-actions">
        <Presence />
        {!locked && !narrow.value && <Steps />}
        {type.preview && <IconButton id="preview-toggle" icon="eye" label={t("editor.preview")} pressed={previewing.value} onClick={() => (previewing.value = !previewing.value)} />}
        <Buttons />
      </div>
    </header>
  );
}

/** Whether everything is saved, in words. */
function SavedState() {
  const { editing, locked } = useSheet();
  const saving = editing.saving.value;
  const updatedAt = editing.state.value?.updatedAt;
  if (locked) return null;
  const words = saving === "saving" ? t("editor.saving") : saving === "waiting" ? t("editor.waiting") : editing.dirty.value ? t("editor.unsaved") : updatedAt ? t("editor.saved-ago", { ago: formatAgo(updatedAt) }) : "";
  return (
    <span class={`editor-saved${saving === "waiting" ? " waiting" : ""}`} role="status">
      {words}
    </span>
  );
}

function Steps() {
  const sheet = useSheet();
  const { history } = sheet.editing.form.value;
  const undoes = history.undoes.value;
  const redoes = history.redoes.value;
  return (
    <span class="editor-steps">
      <IconButton icon="undo" label={t("undo")} does={undoes ? t("step.undo", { step: stepName(sheet, undoes) }) : undefined} keys="Ctrl+Z" disabled={!undoes} onClick={() => step(sheet, "undo")} />
      <IconButton icon="redo" label={t("redo")} does={redoes ? t("step.redo", { step: stepName(sheet, redoes) }) : undefined} keys="Ctrl+Y" disabled={!redoes} onClick={() => step(sheet, "redo")} />
    </span>
  );
}

function Buttons() {
  const { editing, locked } = useSheet();
  const { type } = editing;
  const status = editing.status.value;
  const busy = editing.saving.value !== "idle";
  const drafts = type.draftAndPublish;
  const isPublished = editing.exists && status !== "draft";
  return (
    <>
      {drafts && isPublished && !narrow.value && may(type, "unpublish") && <Refusable reason={editing.refusal("unpublish")} label={t("editor.unpublish")} variant="quiet" onClick={() => void unpublish(editing)} />}
      {!locked && (
        <Button variant={drafts && may(type, "publish") ? "secondary" : "primary"} busy={busy} data-tip={`${t("save")} (Ctrl+S)`} onClick={() => void editing.save()}>
          {t("save")}
        </Button>
      )}
      {drafts && may(type, "publish") && (
        <Refusable
          reason={editing.refusal("publish") ?? (status === "published" && !editing.dirty.value ? t("editor.is-published") : null)}
          label={t("editor.publish")}
          tip={`${t("editor.publish")} (Ctrl+Shift+P)`}
          variant="primary"
          onClick={() => void publish(editing)}
        />
      )}
      <More />
    </>
  );
}

interface RefusableProps {
  /** Why it cannot be done now. */
  reason: string | null;
  label: string;
  tip?: string;
  variant: "primary" | "quiet";
  onClick: () => void;
}

/** A button that says why it does nothing, where it does nothing. */
function Refusable({ reason, label, tip, variant, onClick }: RefusableProps) {
  return (
    <Button variant={variant} aria-disabled={reason ? true : undefined} aria-description={reason ?? undefined} data-tip={reason ?? tip} onClick={reason ? undefined : onClick}>
      {label}
    </Button>
  );
}

/** What the bar has no room for on a narrow page. */
function narrowItems(sheet: Sheet): MenuEntry[] {
  const { editing, locked } = sheet;
  const { history } = editing.form.value;
  const [undoes, redoes] = [history.undoes.value, history.redoes.value];
  const items: MenuEntry[] = [];
  if (!locked) {
    items.push({ label: undoes ? t("step.undo", { step: stepName(sheet, undoes) }) : t("undo"), icon: "undo", disabled: !undoes, onSelect: () => step(sheet, "undo") });
    items.push({ label: redoes ? t("step.redo", { step: stepName(sheet, redoes) }) : t("redo"), icon: "redo", disabled: !redoes, onSelect: () => step(sheet, "redo") });
  }
  if (editing.type.draftAndPublish && editing.exists && editing.status.value !== "draft" && may(editing.type, "unpublish")) {
    items.push({ label: t("editor.unpublish"), icon: "eye-off", disabled: editing.refusal("unpublish") !== null, onSelect: () => void unpublish(editing) });
  }
  return items.length > 0 ? [...items, "line"] : items;
}

function More() {
  const sheet = useSheet();
  const { editing, locked } = sheet;
  const { type } = editing;
  const dirty = editing.dirty.value;
  const status = editing.status.value;
  const items = narrow.value ? narrowItems(sheet) : [];
  const releasing = useSignal(false);
  if (!locked) items.push({ label: t("editor.discard"), icon: "undo", disabled: !dirty && status !== "modified", onSelect: () => void discardChanges(editing) });
  if (maySite("arrange")) items.push({ label: t("arrange.form"), icon: "grid", onSelect: () => void navigate(`/arrange/${segment(type.uid)}`) });
  if (editing.exists) {
    if (may(type, "create") && type.kind === "collectionType") items.push({ label: t("editor.duplicate"), icon: "duplicate", onSelect: () => void duplicate(editing) });
    if (type.draftAndPublish && (may(type, "publish") || may(type, "unpublish"))) items.push({ label: t("editor.schedule"), icon: "clock", onSelect: () => (scheduling.value = true) });
    if (type.draftAndPublish && schema.value?.releases) items.push({ label: t("release.add"), icon: "calendar", onSelect: () => void savedFirst(editing).then((saved) => (releasing.value = saved)) });
    if (type.preview) items.push({ label: t("editor.preview-link"), icon: "link", onSelect: () => void copyPreviewLink(editing) });
    if (may(type, "delete")) items.push("line", { label: t("delete"), icon: "trash", danger: true, disabled: editing.refusal("delete") !== null, onSelect: () => void deleteDocument(editing) });
  }
  return (
    <>
      {items.length > 0 && <Menu label={t("more")} icon="more" iconOnly align="end" items={items} />}
      {releasing.value && <AddToRelease type={type} documentIds={[type.kind === "singleType" ? null : editing.documentId.value]} locale={editing.locale} onClose={() => (releasing.value = false)} />}
    </>
  );
}

/** Saves what was typed; gives whether all of it is saved. */
const savedFirst = (editing: Editing): Promise<boolean> => (editing.dirty.peek() && !editing.refusal("update") ? editing.save() : Promise.resolve(true));
