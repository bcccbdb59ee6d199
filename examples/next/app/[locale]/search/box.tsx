"use client";

import { useEffect, useState } from "react";

/** The text of the search, with suggestions as one types. The search works without JavaScript too. */
export function SearchBox({ locale, text }: { locale: string; text: string }) {
  const [typed, setTyped] = useState(text);
  const [suggestions, setSuggestions] = useState<string[]>([]);
  useEffect(() => {
    const asked = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const answer = await fetch(`/api/suggest?${new URLSearchParams({ locale, q: typed })}`, { signal: asked.signal });
        if (answer.ok) setSuggestions(await answer.json());
      } catch {
        // something else has been typed, or there is no network: the former ones stay
      }
    }, 60);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [locale, typed]);
  return (
    <form action={`/${locale}/search`}>
      <input type="search" name="q" aria-label="Search restaurants" list="suggestions" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <datalist id="suggestions">{suggestions.map((one) => <option key={one} value={one} />)}</datalist>
      <button>Search</button>
    </form>
  );
}
