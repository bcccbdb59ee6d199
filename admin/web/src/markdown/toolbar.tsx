import type { ReadonlySignal } from "@preact/signals";
import type { StateCommand } from "@codemirror/state";
import type { t as translate } from "../core/i18n";
import { IconButton } from "../ui/button";
import type { IconName } from "../ui/icon";
import { Menu } from "../ui/menu";
import { RovingToolbar } from "../ui/toolbar";
import { codeBlock, heading, linesWith, reference, toggleSign } from "./commands";

/** What is shown: the text, the preview, or both side by side where there is space. */
export type View = "write" | "both" | "read";

interface ToolbarProps {
  view: ReadonlySignal<View>;
  readOnly: ReadonlySignal<boolean>;
  run: (command: StateCommand) => void;
  choose: (view: View) => void;
  t: typeof translate;
  controls: string;
  image?: (() => void) | undefined;
}

const command = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl+";

const views = [
  ["write", "edit", "markdown.write"],
  ["both", "columns", "markdown.both"],
  ["read", "eye", "markdown.read"],
] as const satisfies readonly (readonly [View, IconName, string])[];

export function MarkdownToolbar({ view, readOnly, run, choose, t, controls, image }: ToolbarProps) {
  const off = readOnly.value || view.value === "read";
  const button = (icon: IconName, name: string, does: StateCommand, keys?: string) => (
    <IconButton small icon={icon} label={name} onClick={() => run(does)} {...(keys && { keys: command + keys })} />
  );
  const headings = ["blocks.h1", "blocks.h2", "blocks.h3", "blocks.h4"] as const;
  return (
    <RovingToolbar label={t("text.toolbar")} controls={controls}>
      {!off && (
        <>
          <Menu
            label={t("markdown.heading")}
            icon="heading"
            iconOnly
            button={{ small: true }}
            items={headings.map((name, i) => ({
              label: t(name),
              keys: `${command}Alt+${i + 1}`,
              onSelect: () => run(heading(i + 1)),
            }))}
          />
          {button("bold", t("text.bold"), toggleSign("**"), "B")}
          {button("italic", t("text.italic"), toggleSign("_"), "I")}
          {button("strike", t("text.strikethrough"), toggleSign("~~"), "Shift+X")}
          {button("code", t("text.code"), toggleSign("`"), "E")}
          {button("link", t("text.link"), reference("link"), "K")}
          <span class="toolbar-line" />
          {button("list-bulleted", t("text.bulleted"), linesWith("bulleted"), "Shift+8")}
          {button("list-numbered", t("text.numbered"), linesWith("numbered"), "Shift+7")}
          {button("quote", t("blocks.quote"), linesWith("quote"), "Shift+9")}
          {button("code-block", t("blocks.code"), codeBlock)}
          {image && <IconButton small icon="image" label={t("text.image")} onClick={image} />}
        </>
      )}
      <span class="toolbar-space" />
      {views.map(([name, icon, key]) => (
        <IconButton
          key={name}
          small
          icon={icon}
          label={t(key)}
          pressed={view.value === name}
          class={`view-${name}`}
          onClick={() => choose(name)}
        />
      ))}
    </RovingToolbar>
  );
}

/** How long the text is. */
export function Footer({ text, t }: { text: ReadonlySignal<string>; t: typeof translate }) {
  const words = text.value.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0;
  return (
    <p class="text-foot">
      {t("text.words", { n: words })} · {t("text.characters", { n: [...text.value].length })}
    </p>
  );
}
