import type { ReadonlySignal, Signal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { toggleMark } from "prosemirror-commands";
import type { Command, EditorState } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import type { Key, t as translate } from "../core/i18n";
import { Button, IconButton } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon, type IconName } from "../ui/icon";
import { Checkbox, TextInput } from "../ui/inputs";
import { Menu, type MenuItem } from "../ui/menu";
import { RovingToolbar } from "../ui/toolbar";
import { isActive, linkAt, setBlock } from "./commands";
import { itemsOf, lift, nest, toggleList } from "./lists";
import { applyLink, fullAddress, removeLink } from "./links";
import { schema } from "./schema";

const { nodes, marks } = schema;

interface ToolbarProps {
  state: ReadonlySignal<EditorState>;
  readOnly: ReadonlySignal<boolean>;
  run: (command: Command) => void;
  t: typeof translate;
  controls: string;
  link: () => void;
  image?: (() => void) | undefined;
}

const markButtons = [
  ["bold", "bold", "B"],
  ["italic", "italic", "I"],
  ["underline", "underline", "U"],
  ["strikethrough", "strike", "Shift+X"],
  ["code", "code", "E"],
] as const satisfies readonly (readonly [string, IconName, string])[];

const command = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl+";

export function Toolbar({ state, readOnly, run, t, controls, link, image }: ToolbarProps) {
  if (readOnly.value) return null;
  const now = state.value;
  const list = itemsOf(now)?.parent.attrs.format as string | undefined;
  const inCode = now.selection.$from.parent.type.spec.code === true;
  return (
    <RovingToolbar label={t("text.toolbar")} controls={controls}>
      <Menu label={t("blocks.type-of", { kind: t(nameOf(now)) })} button={{ variant: "quiet", small: true, class: "toolbar-type" }} items={types(now, run, t)}>
        <span class="toolbar-type-name">{t(nameOf(now))}</span>
        <Icon name="down" size={12} />
      </Menu>
      <span class="toolbar-line" />
      {markButtons.map(([name, icon, keys]) => (
        <IconButton
          key={name}
          small
          icon={icon}
          label={t(`text.${name}`)}
          keys={command + keys}
          pressed={isActive(now, marks[name])}
          aria-disabled={inCode || undefined}
          onClick={() => !inCode && run(toggleMark(marks[name]))}
        />
      ))}
      <IconButton small icon="link" label={t("text.link")} keys={`${command}K`} pressed={linkAt(now) !== null} onClick={link} />
      <span class="toolbar-line" />
      <IconButton
        small
        icon="list-bulleted"
        label={t("text.bulleted")}
        pressed={list === "unordered"}
        onClick={() => run(toggleList("unordered"))}
      />
      <IconButton
        small
        icon="list-numbered"
        label={t("text.numbered")}
        pressed={list === "ordered"}
        onClick={() => run(toggleList("ordered"))}
      />
      {list && (
        <IconButton
          small
          icon="indent"
          label={t("blocks.nest")}
          keys="Tab"
          aria-disabled={!nest(now) || undefined}
          onClick={() => run(nest)}
        />
      )}
      {list && <IconButton small icon="outdent" label={t("blocks.lift")} keys="Shift+Tab" onClick={() => run(lift)} />}
      {image && <IconButton small icon="image" label={t("text.image")} onClick={image} />}
    </RovingToolbar>
  );
}

/** What the block with the cursor is called. */
function nameOf(state: EditorState): Key {
  const { parent } = state.selection.$from;
  switch (parent.type) {
    case nodes.heading:
      return headings[parent.attrs.level - 1]!;
    case nodes.quote:
      return "blocks.quote";
    case nodes.code_block:
      return "blocks.code";
    case nodes.list_item:
      return itemsOf(state)?.parent.attrs.format === "ordered" ? "text.numbered" : "text.bulleted";
    default:
      return "blocks.paragraph";
  }
}

const headings = ["blocks.h1", "blocks.h2", "blocks.h3", "blocks.h4", "blocks.h5", "blocks.h6"] as const satisfies readonly Key[];

function types(state: EditorState, run: (command: Command) => void, t: typeof translate): (MenuItem | "line")[] {
  const chosen = nameOf(state);
  const item = (name: Key, does: Command, keys?: string): MenuItem => ({
    label: t(name),
    checked: name === chosen,
    onSelect: () => name !== chosen && run(does),
    ...(keys && { keys }),
  });
  return [
    item("blocks.paragraph", setBlock(nodes.paragraph), `${command}Alt+0`),
    ...headings.map((name, i) => item(name, setBlock(nodes.heading, { level: i + 1 }), `${command}Alt+${i + 1}`)),
    "line",
    item("blocks.quote", setBlock(nodes.quote), `${command}Shift+9`),
    item("blocks.code", setBlock(nodes.code_block)),
    item("text.bulleted", toggleList("unordered"), `${command}Shift+8`),
    item("text.numbered", toggleList("ordered"), `${command}Shift+7`),
  ];
}

export interface LinkQuestion {
  view: EditorView;
}

interface LinkDialogProps {
  asked: Signal<LinkQuestion | null>;
  t: typeof translate;
  done: () => void;
}

export function LinkDialog({ asked, t, done }: LinkDialogProps) {
  const question = asked.value;
  if (!question) return null;
  const close = (): void => {
    asked.value = null;
    done();
  };
  return <LinkForm view={question.view} t={t} close={close} />;
}

/** Asks for the address of a link, and for its text where none is selected. */
function LinkForm({ view, t, close }: { view: EditorView; t: typeof translate; close: () => void }) {
  const existing = linkAt(view.state);
  const asksText = !existing && view.state.selection.empty;
  const [url, setURL] = useState(existing?.url ?? "");
  const [text, setText] = useState("");
  const [newTab, setNewTab] = useState(existing?.newTab ?? false);
  const [error, setError] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector("input")?.select(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    const address = fullAddress(url);
    if (!address) return setError(t("text.link-wrong"));
    close();
    view.dispatch(applyLink(view.state, { url: address, text: text || address, newTab }));
  };
  const remove = (): void => {
    close();
    view.dispatch(removeLink(view.state));
  };
  const id = `${view.dom.id}-link`;
  const footer = (
    <>
      {existing && (
        <Button variant="quiet" class="start" onClick={remove}>
          {t("text.link-remove")}
        </Button>
      )}
      <Button onClick={close}>{t("cancel")}</Button>
      <Button variant="primary" type="submit" form={id}>
        {existing ? t("text.link-change") : t("text.link-add")}
      </Button>
    </>
  );
  return (
    <Dialog open size="small" title={t("text.link")} onClose={close} footer={footer}>
      <form id={id} ref={form} class="stack" onSubmit={submit} noValidate>
        <Field label={t("text.link-address")} errors={error ? [error] : []}>
          {(wired) => (
            <TextInput {...wired} value={url} onInput={setURL} inputMode="url" placeholder="https://" spellcheck={false} />
          )}
        </Field>
        {asksText && (
          <Field label={t("text.link-text")}>{(wired) => <TextInput {...wired} value={text} onInput={setText} />}</Field>
        )}
        <Checkbox checked={newTab} onInput={setNewTab}>
          {t("text.link-new-tab")}
        </Checkbox>
      </form>
    </Dialog>
  );
}
