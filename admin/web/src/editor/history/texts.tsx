// Texts in two versions: what was removed is struck through, what was added is underlined,
// and both are said to screen readers.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { isSafeURL } from "../../blocks/model";
import { t } from "../../core/i18n";
import { compareBlocks, type LineChange, type Word } from "./blocks";
import { compareTexts, type Part } from "./diff";

type Is = Part<unknown>["is"];

export function Struck({ is, children }: { is: Is; children: ComponentChildren }) {
  if (is === "same") return <span>{children}</span>;
  const Tag = is === "removed" ? "del" : "ins";
  return (
    <Tag>
      <span class="visually-hidden">{t(is === "removed" ? "history.said-removed" : "history.said-added")} </span>
      {children}
    </Tag>
  );
}

/** How much of a long text without changes is shown around a change, in characters. */
const shownAround = 240;

export function TextChange({ before, after, mono }: { before: string; after: string; mono?: boolean }) {
  const parts = useMemo(() => compareTexts(before, after), [before, after]);
  if (before === "" && after === "") return <>{t("history.empty")}</>;
  return (
    <div class={`change-text${mono ? " mono" : ""}`}>
      {parts.map((part, i) => (
        <Struck key={i} is={part.is}>
          {part.is === "same" && parts.length > 1
            ? shortened(part.items.join(""), i > 0, i < parts.length - 1)
            : part.items.join("")}
        </Struck>
      ))}
    </div>
  );
}

/** A long text without its middle, or its end where nothing changes. */
function shortened(text: string, isAfter: boolean, isBefore: boolean): string {
  if (text.length <= 2 * shownAround + 40) return text;
  const [head, tail] = [isAfter ? text.slice(0, shownAround) : "", isBefore ? text.slice(-shownAround) : ""];
  return `${head} … ${tail}`;
}

export function BlocksChange({ before, after }: { before: unknown; after: unknown }) {
  const changes = useMemo(() => compareBlocks(before, after), [before, after]);
  if (changes.length === 0) return <>{t("history.empty")}</>;
  const shown = around(changes);
  return (
    <div class="change-blocks prose">
      {shown.map((change, i) =>
        change === null ? (
          <p key={i} class="change-gap">
            …
          </p>
        ) : (
          <LineView key={i} change={change} />
        ),
      )}
    </div>
  );
}

/** The lines that differ, with one line of what is around them; null stands for others. */
function around(changes: readonly LineChange[]): (LineChange | null)[] {
  if (changes.every(({ is }) => is === "same")) return [...changes];
  const isNear = (i: number): boolean => [i - 1, i, i + 1].some((at) => changes[at] !== undefined && changes[at].is !== "same");
  return changes
    .map((change, i) => (isNear(i) ? change : null))
    .filter((change, i, all) => change !== null || all[i - 1] !== null);
}

function LineView({ change }: { change: LineChange }) {
  const { is, line, parts } = change;
  const Tag = line.tag === "li" ? "div" : line.tag;
  const name = `change-line ${is}${line.tag === "li" ? ` listed depth-${Math.min(line.depth, 5)}${line.ordered ? " ordered" : ""}` : ""}`;
  return (
    <Tag class={name}>
      {line.image && isSafeURL(line.image.url) && <img src={line.image.url} alt={line.image.alt} loading="lazy" />}
      {parts ? (
        parts.map((part, i) => (
          <Struck key={i} is={part.is}>
            <Words words={part.items} />
          </Struck>
        ))
      ) : (
        <Struck is={is === "changed" ? "same" : is}>
          <Words words={line.words} />
        </Struck>
      )}
    </Tag>
  );
}

const tags = { bold: "strong", italic: "em", underline: "u", strikethrough: "s", code: "code" } as const;

/** Words with their marks; those with the same marks are one element. */
function Words({ words }: { words: readonly Word[] }) {
  const runs: { word: Word; text: string }[] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last && last.word.url === word.url && last.word.marks.join() === word.marks.join()) last.text += word.text;
    else runs.push({ word, text: word.text });
  }
  return (
    <>
      {runs.map(({ word, text }, i) => (
        <Marked key={i} word={word} text={text} />
      ))}
    </>
  );
}

function Marked({ word, text }: { word: Word; text: string }) {
  const marked = word.marks.reduce<ComponentChildren>((inner, name) => {
    const Tag = tags[name];
    return <Tag>{inner}</Tag>;
  }, text);
  return word.url === undefined ? (
    <>{marked}</>
  ) : (
    <span class="change-link" data-tip={word.url}>
      {marked}
    </span>
  );
}
