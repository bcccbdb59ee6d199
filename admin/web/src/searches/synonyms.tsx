// The words that searches use besides those of site.json, as lines of text.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { SectionPart } from "../screens/section";
import { useForm } from "../screens/form";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { TextArea } from "../ui/inputs";
import { toast } from "../ui/toasts";
import { t } from "./words";

interface WordLists {
  synonyms: string[][];
  together: string[];
}

export interface Stored {
  version: string;
  words: WordLists;
  inSite: WordLists;
}

export interface Draft {
  stored: Stored;
  synonyms: string;
  together: string;
}

interface WordsProps {
  draft: Draft;
  onInput: (draft: Draft) => void;
  onSaved: (stored: Stored) => void;
}

/** The lines of a text that are not empty. */
export const lines = (text: string): string[] => text.split("\n").map((line) => line.trim()).filter(Boolean);

const group = (line: string): string[] => line.split(",").map((word) => word.trim()).filter(Boolean);
const isWord = (word: string): boolean => [...word].length <= 60;
const isGroup = (line: string): boolean => group(line).length >= 2 && group(line).length <= 20 && group(line).every(isWord);

export function Words({ draft, onInput, onSaved }: WordsProps) {
  const { stored, synonyms, together } = draft;
  const [round, setRound] = useState(0); // what was sent is shown as it was stored
  const { errors, busy, submit } = useForm<"synonyms" | "together">({
    check: () => {
      const line = lines(synonyms).findIndex((one) => !isGroup(one));
      const word = lines(together).findIndex((one) => !isWord(one) || one.includes(","));
      return { ...(line >= 0 && { synonyms: t("words.wrong", { n: line + 1 }) }), ...(word >= 0 && { together: t("words.wrong-word", { n: word + 1 }) }) };
    },
    send: async () => {
      const words: WordLists = { synonyms: lines(synonyms).map(group), together: lines(together) };
      onSaved((await request<Stored>("PUT", "/search/words", { body: { version: stored.version, words } })).data);
      setRound(round + 1);
      toast({ kind: "done", text: t("words.saved") });
    },
    explain: (error) => ({ synonyms: error instanceof Error ? error.message : String(error) }),
  });
  const inSite = [...stored.inSite.synonyms.map((words) => words.join(", ")), ...stored.inSite.together];
  return (
    <SectionPart title={t("words.title")} text={t("words.text")}>
      <form class="form-rows" noValidate onSubmit={submit}>
        <Field label={t("words.synonyms")} help={t("words.synonyms-help")} errors={errors.synonyms ? [errors.synonyms] : []}>
          {(wired) => <TextArea {...wired} key={round} rows={6} spellcheck={false} value={synonyms} onInput={(text) => onInput({ ...draft, synonyms: text })} />}
        </Field>
        <Field label={t("words.together")} help={t("words.together-help")} errors={errors.together ? [errors.together] : []}>
          {(wired) => <TextArea {...wired} rows={3} spellcheck={false} value={together} onInput={(text) => onInput({ ...draft, together: text })} />}
        </Field>
        <div>
          <Button variant="primary" type="submit" busy={busy}>
            {t("words.save")}
          </Button>
        </div>
      </form>
      {inSite.length > 0 && (
        <details class="fold">
          <summary>{t("words.in-site")}</summary>
          <ul>
            {inSite.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </details>
      )}
    </SectionPart>
  );
}
