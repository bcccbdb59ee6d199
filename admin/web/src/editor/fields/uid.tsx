// The name of an entry in URLs: made of another field, as long as it is not typed, and
// asked for at the server, whether it is free.

import { useEffect, useRef } from "preact/hooks";
import { t } from "../../core/i18n";
import { IconButton } from "../../ui/button";
import { TextInput } from "../../ui/inputs";
import { type FieldProps, useSheet } from "../context";
import type { Editing } from "../editing";
import { limitOf } from "../form/rules";
import { textOf } from "../form/shape";
import { Frame, useLock } from "./frame";
import { useText } from "./text";
import { isFree } from "./unique";

const askDelay = 300; // ms after the last key

export function UIDField(props: FieldProps) {
  const { path, attribute, form } = props;
  const { editing } = useSheet();
  const [text, type] = useText(props);
  const locked = useLock(attribute);
  const source = attribute.targetField ? textOf(form.value([...path.slice(0, -1), attribute.targetField]).value) : "";
  const made = useFollowing(props, editing, source, text, locked);
  useFreeCheck(props, editing, text, made);
  const regenerate = async () => {
    const wanted = slug(source) || editing.type.singularName;
    form.set(path, path.length === 1 ? await firstFree(editing, attribute.name, wanted) : wanted);
  };
  return (
    <Frame {...props} used={text.length} limit={limitOf(attribute)}>
      {(wired) => (
        <div class="input-with-button">
          <TextInput {...wired} mono value={text} onInput={type} readOnly={locked} autocomplete="off" spellcheck={false} />
          {!locked && <IconButton small icon="spark" label={t("field.uid-regenerate", { name: attribute.label })} onClick={() => void regenerate()} />}
        </div>
      )}
    </Frame>
  );
}

/** The name that was made and not typed; null when there is none. */
type Made = { current: string | null };

/** While an entry is new, and until it is typed, the name follows its field. */
function useFollowing({ path, form }: FieldProps, editing: Editing, source: string, text: string, locked: boolean): Made {
  const made = useRef<string | null>(text === "" || text === slug(source) ? text : null);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    if (editing.exists || locked || source === "" || made.current === null || form.value(path).peek() !== made.current) return;
    made.current = slug(source);
    form.set(path, made.current, { merge: "uid" });
  }, [source]);
  return made;
}

/** Asks whether a name is free. One that was made and is taken gets a number. */
function useFreeCheck({ path, attribute, form }: FieldProps, editing: Editing, text: string, made: Made) {
  const stored = form.known()[attribute.name];
  useEffect(() => {
    if (text === "" || path.length > 1 || text === stored) return;
    const asked = new AbortController();
    const timer = setTimeout(async () => {
      const free = await isFree(editing, attribute.name, text, asked.signal).catch(() => true); // Save will say so
      if (free || asked.signal.aborted) return;
      if (made.current !== text) return form.problems.tell(path, { rule: "unique", blocks: "publish", shows: "typing" });
      const other = await firstFree(editing, attribute.name, text);
      if (asked.signal.aborted) return;
      made.current = other;
      form.set(path, other, { merge: "uid" });
    }, askDelay);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [text, stored]);
}

async function firstFree(editing: Editing, name: string, wanted: string): Promise<string> {
  for (let n = 1; n <= 20; n++) {
    const candidate = n === 1 ? wanted : `${wanted}-${n}`;
    if (await isFree(editing, name, candidate).catch(() => true)) return candidate;
  }
  return wanted;
}

const letters: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", æ: "ae", ø: "o", å: "a", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th" };

/** A text as a name for URLs: "Blaue Tür" is "blaue-tuer". */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[äöüßæøåœłđðþ]/g, (letter) => letters[letter] ?? letter)
    .normalize("NFKD")
    .replace(/[\u0300-\u036f'’]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
