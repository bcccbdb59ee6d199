// What is done with a document besides saving it.

import { ApiError } from "../core/api";
import { copyText } from "../core/clipboard";
import { formatDateTime, t } from "../core/i18n";
import { announce } from "../core/live-region";
import { navigate, segment } from "../core/router";
import { confirm } from "../ui/dialog";
import { toast, toastError } from "../ui/toasts";
import { act, cancelSchedule, referrers, remove, type Schedule } from "./document";
import { type Editing } from "./editing";

const nameOf = (editing: Editing): string => editing.title.peek() || t("editor.untitled");

/** Runs an action, and shows what kept it from being done. Gives whether it was done. */
async function attempt(editing: Editing, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof ApiError && typeof error.details["neededStage"] === "string") {
      const { stage, neededStage } = error.details as { stage?: string; neededStage: string };
      toast({ kind: "error", text: stage ? t("editor.in-stage", { stage, needed: neededStage }) : t("editor.needs-stage", { needed: neededStage }) });
    } else if (error instanceof ApiError && error.status === 400) editing.explain(error);
    else toastError(error);
    return false;
  }
}

const underWay = new WeakSet<Editing>();

/** Does one thing with a document at a time: the second click of two does nothing. */
async function alone(editing: Editing, work: () => Promise<boolean>): Promise<boolean> {
  if (underWay.has(editing)) return false;
  underWay.add(editing);
  try {
    return await work();
  } finally {
    underWay.delete(editing);
  }
}

const draftTime = (editing: Editing) => editing.loaded.peek()?.draft?.updatedAt;

/** Saves, and publishes what is saved; not what somebody else saves in the moment between. */
export function publish(editing: Editing): Promise<boolean> {
  return alone(editing, async () => {
    if (!(await editing.savePublishable())) return false;
    const shown = draftTime(editing);
    const done = await attempt(editing, () =>
      withVersion(editing, (version) => {
        if (draftTime(editing) !== shown) throw new Error(t("editor.not-seen"));
        return act(editing.place, "publish", { version });
      }),
    );
    if (!done) return false;
    await editing.reload();
    announce(t("editor.published", { title: nameOf(editing) }));
    return true;
  });
}

/** Takes the published version back; the draft stays. */
export function unpublish(editing: Editing): Promise<boolean> {
  return alone(editing, async () => {
    const done = await attempt(editing, () => withVersion(editing, (version) => act(editing.place, "unpublish", { version })));
    if (!done) return false;
    await editing.reload();
    toast({ kind: "done", text: t("editor.unpublished", { title: nameOf(editing) }), action: { label: t("editor.publish-again"), run: () => void publish(editing) } });
    return true;
  });
}

/** Does something with the version that is known, and with the newest one if somebody else was quicker. */
async function withVersion(editing: Editing, work: (version: string | undefined) => Promise<unknown>): Promise<void> {
  try {
    await work(editing.loaded.peek()?.version);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    await editing.reload();
    await work(editing.loaded.peek()?.version);
  }
}

/** Discards what was typed and not saved, with a way back. */
export function discardTyped(editing: Editing) {
  const restore = editing.discard();
  const undo = () => {
    const stays = restore();
    if (stays.length > 0) toast({ text: t("editor.typed-since", { fields: stays.join(", ") }) });
  };
  toast({ text: t("editor.discarded"), action: { label: t("undo"), run: undo } });
}

/** Makes the draft what is published. */
export async function discardChanges(editing: Editing): Promise<void> {
  const saved = editing.status.peek() === "modified";
  const sure = await confirm({
    title: t("discard.title", { title: nameOf(editing) }),
    body: saved ? t("discard.to-published") : t("discard.to-saved"),
    action: t("discard.action"),
    danger: true,
  });
  if (!sure) return;
  if (!saved) return discardTyped(editing);
  await attempt(editing, async () => {
    await act(editing.place, "discard-draft");
    await editing.reset();
    toast({ kind: "done", text: t("editor.discarded") });
  });
}

export function duplicate(editing: Editing): Promise<boolean> {
  return alone(editing, () =>
    attempt(editing, async () => {
      const { data } = await act<{ documentId: string }>(editing.place, "duplicate");
      await navigate(pathOf(editing, data.documentId));
      toast({ kind: "done", text: t("editor.duplicated", { title: nameOf(editing) }) });
    }),
  );
}

/** Deletes the document, after saying what links to it. */
export async function deleteDocument(editing: Editing): Promise<void> {
  const links = await referrers(editing.place).then((found) => found.total, () => 0);
  const sure = await confirm({
    title: t("delete.title", { title: nameOf(editing) }),
    body: [links > 0 ? t("delete.links", { n: links }) : "", editing.type.localized ? t("delete.locales") : ""].filter(Boolean).join(" ") || t("delete.text"),
    action: t("delete"),
    danger: true,
  });
  if (!sure) return;
  await attempt(editing, async () => {
    await remove(editing.place);
    editing.discard();
    toast({ kind: "done", text: t("delete.done", { title: nameOf(editing) }) });
    await navigate(editing.type.kind === "singleType" ? "/" : `/content/${editing.type.uid}`, { force: true });
  });
}

export async function copyPreviewLink(editing: Editing): Promise<void> {
  await attempt(editing, async () => {
    if (!(await editing.save())) return;
    const { data } = await act<{ url: string | null; token: string; expiresAt: string }>(editing.place, "preview-link", { body: { expiresIn: "7d" } });
    await copyText(data.url ?? data.token);
    toast({ kind: "done", text: t("preview.copied", { until: formatDateTime(data.expiresAt) }) });
  });
}

/** Publishes or unpublishes at a time. */
export async function schedule(editing: Editing, action: "publish" | "unpublish", at: string): Promise<boolean> {
  if (action === "publish" && !(await editing.savePublishable())) return false;
  const done = await attempt(editing, () => act(editing.place, action, { body: { at } }));
  if (done) await editing.reload();
  return done;
}

export async function cancel(editing: Editing, planned: Schedule): Promise<void> {
  await attempt(editing, async () => {
    await cancelSchedule(editing.place, planned.id);
    await editing.reload();
    toast({ text: t("schedule.canceled"), ...(planned.state === "scheduled" && { action: { label: t("undo"), run: () => void schedule(editing, planned.action, planned.at) } }) });
  });
}

/** Where another document of the same type and locale is edited. */
export function pathOf(editing: Editing, documentId: string): string {
  const { type, locale } = editing;
  const path = type.kind === "singleType" ? `/single/${type.uid}` : `/content/${type.uid}/${segment(documentId)}`;
  return locale && type.localized ? `${path}?locale=${locale}` : path;
}
