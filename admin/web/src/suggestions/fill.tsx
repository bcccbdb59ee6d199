// Suggestions for a form: from another locale, or a shorter text. It is loaded when somebody
// asks for one.

import { useEffect, useState } from "preact/hooks";
import { formatLocale } from "../core/i18n";
import type { Sheet } from "../editor/context";
import type { Entry } from "../editor/document";
import { toastError } from "../ui/toasts";
import { type Line, SuggestionsDialog, type Taken } from "./dialog";
import type { Wanted } from "./wanted";
import { suggestion, t } from "./words";

export interface FillProps {
  sheet: Sheet;
  wanted: Wanted;
  onClose: () => void;
}

export default function Fill({ sheet, wanted, onClose }: FillProps) {
  return "from" in wanted ? <FromLocale sheet={sheet} {...wanted} onClose={onClose} /> : <Shorter sheet={sheet} {...wanted} onClose={onClose} />;
}

const withTexts: ReadonlySet<string> = new Set(["string", "text", "richtext", "blocks", "component", "dynamiczone"]);

type Props<W> = { sheet: Sheet; onClose: () => void } & W;

function FromLocale({ sheet: { editing }, from, name, onClose }: Props<Extract<Wanted, { from: string }>>) {
  const { type, locale } = editing;
  const [lines, setLines] = useState<readonly Line[] | null>(null);
  const lineOf = (entry: Entry) => {
    const documentId = editing.documentId.peek() ?? "";
    return editing.form.peek().beside(entry, (a) => a.localized === true && !a.readOnly && withTexts.has(a.type) && (name === null || a.name === name)).flatMap(({ attribute, theirs, mine }): Line[] =>
      theirs ? [{ attribute, before: entry[attribute.name], replaces: mine, ask: (signal) => suggestion("translate", { uid: type.uid, documentId, field: attribute.name, from, to: locale }, signal) }] : [],
    );
  };
  useEffect(() => {
    editing.inLocale(from).then(
      (entry) => setLines(lineOf(entry ?? {})),
      (error: unknown) => {
        toastError(error);
        onClose();
      },
    );
  }, []);
  if (lines === null) return null;
  const take = (taken: Taken) => {
    const values = Object.fromEntries(taken.map(({ line, value }) => [line.attribute.name, value]));
    const form = editing.form.peek();
    form.copyFrom(values, Object.keys(values));
    form.suggest(Object.keys(values));
  };
  const source = formatLocale(from);
  return <SuggestionsDialog title={t("title", { name: source })} source={source} sourceLang={from} lang={locale ?? undefined} lines={lines} onTake={take} onClose={onClose} />;
}

function Shorter({ sheet: { editing }, path, attribute, onClose }: Props<Exclude<Wanted, { from: string }>>) {
  const form = editing.form.peek();
  const text = String(form.value(path).peek() ?? "");
  const line: Line = { attribute, before: text, ask: (signal) => suggestion("shorten", { uid: editing.type.uid, text, most: attribute.maxLength ?? null }, signal) };
  const take = (taken: Taken) => {
    form.set(path, taken[0]?.value);
    form.suggest([String(path[0])]);
    onClose();
  };
  const lang = editing.locale ?? undefined;
  return <SuggestionsDialog title={t("shorten", { label: attribute.label })} source={t("current")} sourceLang={lang} lang={lang} lines={[line]} onTake={take} onClose={onClose} />;
}
