// Settings, Search: what visitors did not find, the words that searches use, and why a search
// has its order.

import { useEffect, useRef, useState } from "preact/hooks";
import { request } from "../core/api";
import { toastError } from "../ui/toasts";
import { Explanation } from "./explanation";
import { MissedSearches } from "./missed";
import { lines, Words, type Draft, type Stored } from "./synonyms";

export default function Searches() {
  const [draft, setDraft] = useState<Draft | null>(null);
  const synonyms = useRef<HTMLDivElement>(null);
  const take = (stored: Stored) => setDraft({ stored, synonyms: stored.words.synonyms.map((group) => group.join(", ")).join("\n"), together: stored.words.together.join("\n") });
  useEffect(() => void request<Stored>("GET", "/search/words").then(({ data }) => take(data), toastError), []);
  const add = (text: string) => {
    setDraft((now) => now && { ...now, synonyms: [...lines(now.synonyms), `${text}, `].join("\n") });
    synonyms.current?.querySelector("textarea")?.focus();
  };
  return (
    <>
      <MissedSearches onAdd={add} />
      <div ref={synonyms}>{draft && <Words draft={draft} onInput={setDraft} onSaved={take} />}</div>
      <Explanation />
    </>
  );
}
