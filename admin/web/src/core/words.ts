// Finding things by a few letters of their names.

/** The words of what was typed, in small letters. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether a name has all the words. */
export function hasWords(name: string, words: readonly string[]): boolean {
  const lower = name.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The parts of a label, which of them are words that were typed. */
export function mark(label: string, words: readonly string[]): { text: string; marked: boolean }[] {
  const lower = label.toLowerCase();
  if (lower.length !== label.length) return [{ text: label, marked: false }]; // small letters of some languages are more than one
  const parts: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (;;) {
    const hits = words.map((word) => ({ length: word.length, from: lower.indexOf(word, at) })).filter((hit) => hit.from >= 0);
    const next = hits.sort((a, b) => a.from - b.from || b.length - a.length)[0];
    const until = next?.from ?? label.length;
    if (until > at) parts.push({ text: label.slice(at, until), marked: false });
    if (!next) return parts;
    at = next.from + next.length;
    parts.push({ text: label.slice(next.from, at), marked: true });
  }
}
