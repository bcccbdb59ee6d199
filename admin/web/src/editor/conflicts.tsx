// What two people have changed differently: both values side by side, and a choice.

import { useEffect, useState } from "preact/hooks";
import { t } from "../core/i18n";
import { componentOf } from "../core/schema";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { lazy } from "../ui/lazy";
import { useSheet } from "./context";
import type { Editing } from "./editing";
import { placeName } from "./faults";
import { filesOf, type Item, kindOf, linksOf, textOf } from "./form/shape";
import type { Conflict } from "./form/merge";
import { titleOf } from "./link-title";
import type { MergeDialogProps } from "./merge/dialog";

const { Lazy: MergeDialog } = lazy<MergeDialogProps>(() => import("./merge/dialog"), true);

/** What was merged, where somebody has asked to see it. */
function Merge() {
  const { editing, locked } = useSheet();
  const shown = editing.shownMerge.value;
  if (!shown) return null;
  const { text, texts, form } = shown;
  const close = () => (editing.shownMerge.value = null);
  const undo = async () => {
    close();
    const merging = await import("./merge/texts"); // it is there: it has merged them
    for (const one of texts) form.unmerge(one, merging);
  };
  const canUndo = !locked && form === editing.form.value;
  return <MergeDialog title={text} texts={texts} nameOf={({ path }) => placeName(form, editing.type.attributes, path)} undo={canUndo ? () => void undo() : undefined} close={close} />;
}

/** A line that says that there are conflicts, and the dialog that decides them. */
export function Conflicts() {
  const { editing } = useSheet();
  const form = editing.form.value;
  const conflicts = form.conflicts.value;
  const asked = editing.asked.value;
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (asked > 0) setOpen(true);
  }, [asked]);
  if (conflicts.length === 0) return <Merge />;
  const words = wordsOf(editing);
  const decide = (conflict: Conflict, whose: "mine" | "theirs") => {
    form.decide(conflict, whose);
    if (form.conflicts.peek().length > 0) return;
    setOpen(false);
    if (asked > 0) void editing.save();
  };
  return (
    <>
      <Merge />
      <div class="notice warning" role="status">
        <Icon name="people" />
        <span>{words.notice(conflicts.length)}</span>
        <Button small onClick={() => setOpen(true)}>
          {t("conflict.compare")}
        </Button>
      </div>
      <Dialog open={open} size="large" title={words.title} onClose={() => setOpen(false)}>
        <p class="quiet-text">{t("conflict.text")}</p>
        {conflicts.map((conflict) => (
          <section class="conflict" key={conflict.path.join("/")} aria-label={placeName(form, editing.type.attributes, conflict.path)}>
            <h3>{placeName(form, editing.type.attributes, conflict.path)}</h3>
            <div class="conflict-sides">
              <Side title={words.mine} value={conflict.mine} conflict={conflict} action={words.keep} onChoose={() => decide(conflict, "mine")} />
              <Side title={words.theirs} value={conflict.theirs} conflict={conflict} action={words.take} onChoose={() => decide(conflict, "theirs")} />
            </div>
          </section>
        ))}
      </Dialog>
    </>
  );
}

/** Whose the other values are: somebody else’s, or those of the person’s own other window. */
function wordsOf(editing: Editing) {
  if (editing.isOwn(editing.loaded.value)) {
    const notice = (n: number) => t("conflict.own-notice", { n });
    return { notice, title: t("conflict.own-title"), mine: t("conflict.own-mine"), theirs: t("conflict.own-theirs"), keep: t("conflict.own-keep"), take: t("conflict.own-take") };
  }
  const who = editing.loaded.value?.updatedBy?.name ?? t("editor.somebody");
  const notice = (n: number) => t("conflict.notice", { who, n });
  return { notice, title: t("conflict.title", { who }), mine: t("conflict.mine"), theirs: t("conflict.theirs", { who }), keep: t("conflict.keep"), take: t("conflict.take") };
}

interface SideProps {
  title: string;
  value: unknown;
  conflict: Conflict;
  action: string;
  onChoose: () => void;
}

function Side({ title, value, conflict, action, onChoose }: SideProps) {
  return (
    <div class="conflict-side">
      <h4>{title}</h4>
      <div class="conflict-value">{inWords(conflict, value) || <span class="quiet-text">{t("conflict.empty")}</span>}</div>
      <Button small onClick={onChoose}>
        {action}
      </Button>
    </div>
  );
}

/** A value as text that people can compare. */
function inWords(conflict: Conflict, value: unknown): string {
  const { attribute } = conflict;
  if (conflict.item !== undefined) return value ? itemInWords(value as Item) : t("conflict.removed");
  if (kindOf(attribute) === "slot") return value ? itemInWords(value as Item) : t("conflict.removed");
  if (kindOf(attribute) === "list") return t("conflict.order");
  switch (attribute.type) {
    case "relation":
      return linksOf(value).map(titleOf).join("\n");
    case "media":
      return filesOf(value).map((f) => f.name).join("\n");
    case "boolean":
      return value === true ? t("field.yes") : value === false ? t("field.no") : "";
    case "blocks":
      return blocksInWords(value);
    case "password":
      return "••••••";
    default:
      return textOf(value);
  }
}

function itemInWords(item: Item): string {
  const component = componentOf(item.component);
  const texts = Object.values(item.fields).filter((v): v is string => typeof v === "string" && v !== "");
  return [component?.displayName ?? item.component, ...texts].join("\n");
}

function blocksInWords(value: unknown): string {
  if (!Array.isArray(value)) return "";
  const inline = (node: { text?: unknown; children?: unknown }): string =>
    typeof node.text === "string" ? node.text : Array.isArray(node.children) ? (node.children as typeof node[]).map(inline).join("") : "";
  return (value as Parameters<typeof inline>[0][]).map(inline).join("\n");
}
