// What a person has written in a page: its words, without code, addresses and names.

const blank = (part) => part.replace(/[^\n]/g, ' ');

// notProse are the parts of a page that nobody spells, in the order in which they go.
const notProse = [
  /^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2 *$/gm, // blocks of code
  /`[^`]*`/g, // code in a line
  /<[^>\n]+>/g, // HTML
  /\]\([^)\s]*/g, // where links and pictures lead
  /https?:\/\/\S+/g,
  /GHSA-\S+/g, // numbers of advisories
  /\S*\w\.\w\S*/g, // site.json, example.org, github.com/spf13/cobra
  /\S*[\w-]\/[\w-]+\/\S*|@\S+|#\S+/g, // paths, and names of packages
];

// prose replaces what is not prose with spaces, so that every word keeps its place.
export const prose = (text) => notProse.reduce((rest, part) => rest.replace(part, blank), text);

// words lists the words of a page, each with its line. Abbreviations (TLS, URLs) and
// names that are written like documentId are not among them.
export function words(text) {
  const all = [];
  prose(text).split('\n').forEach((line, i) => {
    for (const [found] of line.matchAll(/(?<![\p{L}\d])\p{L}[\p{L}\p{M}'’]*(?![\p{L}\d])/gu)) {
      const word = found.replaceAll('’', "'").replace(/'s?$/, '');
      if (word.length > 1 && !/^\p{Lu}+s?$/u.test(word) && !/\p{Ll}\p{Lu}/u.test(word)) {
        all.push({ word, line: i + 1 });
      }
    }
  });
  return all;
}
