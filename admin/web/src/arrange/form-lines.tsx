// The form as a list that is put in order by dragging or by keys: tabs, groups, fields.

import { useState } from "preact/hooks";
import type { Attribute } from "../core/schema";
import { SectionPart } from "../screens/section";
import { Button, IconButton } from "../ui/button";
import { Select, TextInput } from "../ui/inputs";
import { moved } from "../ui/moved";
import { Sortable } from "../ui/sortable";
import { heading, withoutEmpty, type Draft, type Line } from "./model";
import { t, type Key } from "./words";
import { WordingDialog } from "./wording";

export interface PartProps {
  draft: Draft;
  onChange: (some: Partial<Draft>) => void;
}

const sizes = ["3", "4", "6", "8", "9", "12"];

export function FormLines({ attributes, tabs, draft, onChange }: PartProps & { attributes: readonly Attribute[]; tabs: boolean }) {
  const { lines, hidden, words } = draft;
  const [edited, edit] = useState<string | null>(null);
  const of = (name: string) => attributes.find((one) => one.name === name);
  const labelOf = (name: string) => words[name]?.label || of(name)?.label || name;
  const nameOf = (line: Line) => (line.kind === "field" ? labelOf(line.name) : line.label || t(line.kind));
  const replace = (line: Line) => onChange({ lines: lines.map((one) => (one.key === line.key ? line : one)) });
  const without = (line: Line) => lines.filter((one) => one.key !== line.key);
  const hide = (line: Line, name: string) => onChange({ lines: without(line), hidden: [...hidden, name] });
  const show = (name: string) => onChange({ lines: [...lines, { key: name, kind: "field", name, size: 6 }], hidden: hidden.filter((one) => one !== name) });
  return (
    <SectionPart
      title={t("form")}
      text={t("form-text")}
      actions={
        <>
          <Button icon="plus" onClick={() => onChange({ lines: [heading("group"), ...lines] })}>
            {t("add-group")}
          </Button>
          {tabs && (
            <Button icon="plus" onClick={() => onChange({ lines: [heading("tab"), ...lines] })}>
              {t("add-tab")}
            </Button>
          )}
        </>
      }
    >
      <Sortable class="arrange-lines" label={t("form")} items={lines} keyOf={({ key }) => key} nameOf={nameOf} onMove={(from, to) => onChange({ lines: moved(lines, from, to) })}>
        {(line, handle) => (
          <div class={`arrange-line of-${line.kind}`}>
            {handle}
            {line.kind === "field" ? (
              <>
                <span class="arrange-name">
                  {labelOf(line.name)} <code class="quiet-text">{line.name}</code>
                </span>
                <Select aria-label={t("width-of", { name: labelOf(line.name) })} value={String(line.size)} onInput={(size) => replace({ ...line, size: Number(size) })} options={widths(line.size)} />
                <IconButton icon="edit" label={t("words-of", { name: labelOf(line.name) })} onClick={() => edit(line.name)} />
                <IconButton icon="eye-off" label={t("hide", { name: labelOf(line.name) })} onClick={() => hide(line, line.name)} />
              </>
            ) : (
              <>
                <TextInput aria-label={t(`${line.kind}-name` as Key)} placeholder={t(line.kind)} maxLength={100} value={line.label} onInput={(label) => replace({ ...line, label })} />
                <IconButton icon="trash" label={t("remove", { name: nameOf(line) })} onClick={() => onChange({ lines: without(line) })} />
              </>
            )}
          </div>
        )}
      </Sortable>
      {hidden.length > 0 && (
        <div class="arrange-hidden">
          <h3>{t("hidden")}</h3>
          <ul>
            {hidden.map((name) => (
              <li key={name}>
                <Button small variant="quiet" icon="eye" onClick={() => show(name)}>
                  {t("show", { name: labelOf(name) })}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {edited !== null && (
        <WordingDialog
          attribute={of(edited)}
          name={edited}
          others={attributes.filter(({ name }) => name !== edited)}
          wording={words[edited] ?? {}}
          onClose={() => edit(null)}
          onDone={(wording) => {
            const { [edited]: _, ...rest } = words;
            const kept = withoutEmpty(wording);
            onChange({ words: kept ? { ...rest, [edited]: kept } : rest });
            edit(null);
          }}
        />
      )}
    </SectionPart>
  );
}

function widths(size: number) {
  const all = sizes.includes(String(size)) ? sizes : [...sizes, String(size)];
  return all.map((value) => ({ value, label: sizes.includes(value) ? t(`width.${value}` as Key) : t("width.other", { n: value }) }));
}
