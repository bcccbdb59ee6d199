// Where one is: the folders above, what is done to the folder, and the folders in it.

import { useState } from "preact/hooks";
import { FormDialog } from "../screens/form-dialog";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Checkbox, TextInput } from "../ui/inputs";
import { Menu } from "../ui/menu";
import { toast } from "../ui/toasts";
import { DeleteDialog } from "./deleting";
import type { Rights } from "./drawer";
import { childrenOf, type Folder, folderOf, isPrivate, nameOf, saveFolder, wayTo } from "./folders";
import { Lock } from "./lock";
import { question, refresh, searches } from "./library";
import type { Dragged } from "./moving";
import { goTo, useDrop } from "./tree";
import { t } from "./words";

export function FolderBar({ at, rights, onMove }: { at: string | null; rights: Rights; onMove: (what: Dragged) => void }) {
  const [open, show] = useState<"new" | "rename" | "delete" | null>(null);
  const folder = folderOf(at);
  const way = wayTo(at);
  const children = searches(question.value) ? [] : childrenOf(at);
  const close = () => show(null);
  const actions = [
    ...(rights.upload
      ? [
          { label: t("folders.rename"), icon: "edit" as const, onSelect: () => show("rename") },
          { label: t("folders.move"), icon: "folder" as const, onSelect: () => folder && onMove({ files: [], folders: [folder.documentId] }) },
        ]
      : []),
    ...(rights.remove ? [{ label: t("delete"), icon: "trash" as const, danger: true, onSelect: () => show("delete") }] : []),
  ];
  return (
    <>
      <div class="media-way">
        <nav aria-label={t("folders")}>
          <ol>
            {[null, ...way].map((one) => (
              <li key={one?.documentId ?? "root"}>
                <Crumb id={one?.documentId ?? null} current={(one?.documentId ?? null) === (folder?.documentId ?? null)} rights={rights} />
              </li>
            ))}
          </ol>
        </nav>
        {folder && actions.length > 0 && <Menu iconOnly label={t("folders.actions", { name: folder.name })} items={actions} button={{ small: true }} align="end" />}
        {rights.upload && (
          <Button small variant="quiet" icon="folder-plus" onClick={() => show("new")}>
            {t("folders.new")}
          </Button>
        )}
      </div>
      {children.length > 0 && (
        <ul class="media-folders" aria-label={t("folders.in", { name: nameOf(at) })}>
          {children.map((child) => (
            <li key={child.documentId}>
              <FolderCard folder={child} rights={rights} />
            </li>
          ))}
        </ul>
      )}
      {open === "new" && <FolderDialog title={t("folders.new")} action={t("folders.make")} name="" above={at} save={(name, hidden) => made(name, at, hidden)} onClose={close} />}
      {open === "rename" && folder && (
        <FolderDialog
          title={t("folders.rename-title", { name: folder.name })}
          action={t("save")}
          name={folder.name}
          hidden={folder.private ?? false}
          above={folder.parent?.documentId ?? null}
          save={(name, hidden) => saveFolder(folder.documentId, { name, ...(hidden !== (folder.private ?? false) && { private: hidden }) })}
          onClose={close}
        />
      )}
      {open === "delete" && folder && <DeleteDialog files={[]} folder={folder} onClose={close} onDone={() => goTo(folder.parent?.documentId ?? null)} />}
    </>
  );
}

async function made(name: string, parent: string | null, hidden: boolean): Promise<Folder> {
  const folder = await saveFolder(null, { name, parent, ...(hidden && { private: true }) });
  toast({ kind: "done", text: t("folders.made", { name }) });
  return folder;
}

function Crumb({ id, current, rights }: { id: string | null; current: boolean; rights: Rights }) {
  const [over, drop] = useDrop(id, rights.upload);
  return (
    <button type="button" class={`media-crumb${over ? " over" : ""}`} aria-current={current ? "page" : undefined} onClick={() => goTo(id)} {...drop}>
      {nameOf(id)}
      {folderOf(id)?.private && <Lock />}
    </button>
  );
}

function FolderCard({ folder, rights }: { folder: Folder; rights: Rights }) {
  const [over, drop] = useDrop(folder.documentId, rights.upload);
  return (
    <button type="button" class={`media-folder${over ? " over" : ""}`} onClick={() => goTo(folder.documentId)} {...drop}>
      <Icon name="folder" />
      <span class="truncate">{folder.name}</span>
      {isPrivate(folder.documentId) && <Lock />}
      <span class="media-count">{t("folders.files", { n: folder.files.count })}</span>
    </button>
  );
}

interface FolderDialogProps {
  title: string;
  action: string;
  name: string;
  /** Whether it is private itself. */
  hidden?: boolean;
  /** The folder that it is in. */
  above: string | null;
  save: (name: string, hidden: boolean) => Promise<Folder>;
  onClose: () => void;
}

function FolderDialog({ title, action, name: was, hidden: wasHidden = false, above, save, onClose }: FolderDialogProps) {
  const [name, setName] = useState(was);
  const [hidden, hide] = useState(wasHidden);
  const inherited = isPrivate(above);
  const check = () => (name.trim() === "" ? { name: t("file.name-missing") } : {});
  const send = async () => {
    await save(name.trim(), hidden);
    onClose();
    refresh();
  };
  return (
    <FormDialog title={title} action={action} fields={["name", "private"]} check={check} send={send} onClose={onClose}>
      {(errors) => (
        <>
          <Field label={t("folders.name")} errors={errors.name}>
            {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
          </Field>
          <Field label={t("folders.private")} help={t("folders.private-help")} errors={errors.private}>
            {(wired) => <Checkbox {...wired} checked={hidden || inherited} disabled={inherited} onInput={hide} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}
