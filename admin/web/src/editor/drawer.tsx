// A document that is edited or made beside the one that links to it.

import { useEffect, useState } from "preact/hooks";
import { t } from "../core/i18n";
import { href } from "../core/router";
import { documentPath } from "../core/schema";
import { Button } from "../ui/button";
import { confirm, Drawer } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { StatusBadge } from "../ui/status";
import { toast, toastError } from "../ui/toasts";
import { publish } from "./actions";
import { Conflicts } from "./conflicts";
import { type Opened, Sheet, SheetProvider, useSheet } from "./context";
import { Editing } from "./editing";
import { FaultSummary } from "./faults";
import { Fields } from "./fields/fields";
import { newName } from "./opening";
import { useShortcuts } from "./shortcuts";
import { Suggestions } from "./suggesting";

/** The document that a field of this form has opened. */
export function OpenedDocument() {
  const { opened } = useSheet();
  return opened.value && <DocumentDrawer {...opened.value} onClose={() => (opened.value = null)} />;
}

function DocumentDrawer({ type, documentId, title, onSaved, onClose }: Opened & { onClose: () => void }) {
  const { editing: parent } = useSheet();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const locale = type.localized ? parent.locale : null;
  useEffect(() => {
    let opened: Editing | undefined;
    let left = false;
    Editing.open(type, documentId ?? newName(), locale, title ? { [type.mainField]: title } : undefined).then(
      (editing) => {
        opened = editing;
        if (left) editing.close();
        else setSheet(new Sheet(editing));
      },
      (error: unknown) => {
        toastError(error);
        onClose();
      },
    );
    return () => {
      left = true;
      opened?.close();
    };
  }, []);

  const editing = sheet?.editing;
  const done = () => {
    const id = editing?.documentId.peek();
    if (!editing || !id) return;
    onSaved({ documentId: id, title: editing.title.peek(), ...(type.draftAndPublish && { status: editing.status.peek() }) });
    onClose();
  };
  const save = async () => {
    if (editing && (await editing.save())) done();
  };
  const publishIt = async () => {
    if (editing && (await publish(editing))) done();
  };
  const close = async () => {
    if (editing?.dirty.peek() && !sheet?.locked) {
      const leave = await confirm({ title: t("drawer.unsaved"), body: t("drawer.unsaved-text"), action: t("drawer.close"), cancel: t("drawer.stay") });
      if (!leave) return;
      if (!editing.isNew) toast({ text: t("editor.kept", { title: editing.title.peek() || t("editor.untitled") }) });
    }
    onClose();
  };
  const box = `document-drawer-${sheet?.name ?? ""}`;
  useEffect(() => sheet?.focusFirst(), [sheet]);
  useShortcuts({ sheet, save: () => void save(), publish: () => void publishIt(), dialog: box });
  const name = editing?.title.value || title || type.displayName;
  const busy = editing?.saving.value !== "idle";
  return (
    <Drawer
      open
      size="large"
      class={`document-drawer ${box}`}
      title={documentId ? name : t("drawer.new", { type: type.displayName })}
      onClose={() => void close()}
      footer={
        editing &&
        !sheet?.locked && (
          <>
            {type.draftAndPublish && !editing.refusal("publish") && (
              <Button onClick={() => void publishIt()} disabled={busy}>
                {t("editor.publish")}
              </Button>
            )}
            <Button variant="primary" busy={busy} onClick={() => void save()}>
              {t("save")}
            </Button>
          </>
        )
      }
    >
      {sheet && editing && (
        <SheetProvider value={sheet}>
          <div class="drawer-status">
            {type.draftAndPublish && <StatusBadge status={editing.status.value} />}
            {documentId && (
              <a href={href(documentPath(type.uid, documentId, locale))} target="_blank" rel="noreferrer">
                {t("drawer.open-page")} <Icon name="external" size={12} />
              </a>
            )}
          </div>
          {sheet.locked && <p class="notice">{sheet.locked}</p>}
          <FaultSummary />
          <Fields form={editing.form.value} type={type} />
          <Conflicts />
          <OpenedDocument />
          <Suggestions />
        </SheetProvider>
      )}
    </Drawer>
  );
}
