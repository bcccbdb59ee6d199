// What the toolbar and the keys do to a Markdown text.

import { EditorSelection, type ChangeSpec, type EditorState, type Line, type StateCommand } from "@codemirror/state";

/** Puts signs around the selection, or takes them away where they are: ** for bold. */
export function toggleSign(sign: string): StateCommand {
  return ({ state, dispatch }) => {
    const change = state.changeByRange((range) => {
      const text = state.sliceDoc(range.from, range.to);
      const [from, to] = [
        range.from + (text.length - text.trimStart().length),
        range.to - (text.length - text.trimEnd().length),
      ].toSorted((a, b) => a - b) as [number, number];
      const size = sign.length;
      if (isAround(state, from, to, sign)) {
        return {
          changes: [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ],
          range: EditorSelection.range(from - size, to - size),
        };
      }
      const inner = state.sliceDoc(from, to);
      if (inner.length > 2 * size && inner.startsWith(sign) && inner.endsWith(sign)) {
        return {
          changes: [
            { from, to: from + size },
            { from: to - size, to },
          ],
          range: EditorSelection.range(from, to - 2 * size),
        };
      }
      return {
        changes: [
          { from, insert: sign },
          { from: to, insert: sign },
        ],
        range: EditorSelection.range(from + size, to + size),
      };
    });
    dispatch(state.update(change, { userEvent: "input.format", scrollIntoView: true }));
    return true;
  };
}

/** Whether the signs stand right outside: ** around a text, and not * around one with stars. */
function isAround(state: EditorState, from: number, to: number, sign: string): boolean {
  const size = sign.length;
  const before = /(\W)\1*$/.exec(state.sliceDoc(Math.max(0, from - 3), from))?.[0] ?? "";
  const after = /^(\W)\1*/.exec(state.sliceDoc(to, to + 3))?.[0] ?? "";
  if (!before.endsWith(sign) || !after.startsWith(sign)) return false;
  return sign !== "_" && sign[0] === "*" && size === 1 ? before.length !== 2 : true;
}

/** Makes the selected lines headings of a level; of the same level, plain lines. */
export function heading(level: number): StateCommand {
  const sign = `${"#".repeat(level)} `;
  return changeLines((line, all) => {
    const plain = line.text.replace(/^\s{0,3}#{1,6}\s+/, "");
    return all.every((each) => each.text.startsWith(sign)) ? plain : sign + plain;
  });
}

/** Puts a sign before the selected lines, or takes it away where all of them have it. */
export function linesWith(kind: "quote" | "bulleted" | "numbered"): StateCommand {
  const pattern = { quote: /^> ?/, bulleted: /^\s*[-*+] /, numbered: /^\s*\d+[.)] / }[kind];
  return changeLines((line, all, i) => {
    if (all.every((each) => pattern.test(each.text))) return line.text.replace(pattern, "");
    const plain = kind === "quote" ? line.text : line.text.replace(/^\s*([-*+]|\d+[.)]) /, "");
    return { quote: "> ", bulleted: "- ", numbered: `${i + 1}. ` }[kind] + plain;
  });
}

function changeLines(make: (line: Line, all: readonly Line[], i: number) => string): StateCommand {
  return ({ state, dispatch }) => {
    const lines = selectedLines(state);
    const changes = lines.map((line, i): ChangeSpec => ({ from: line.from, to: line.to, insert: make(line, lines, i) }));
    const changed = state.changes(changes);
    const { anchor, head } = state.selection.main;
    // A cursor stays at its distance to the end of its line, which does not change.
    const place = (pos: number): number => {
      const line = state.doc.lineAt(pos);
      return changed.mapPos(line.to, 1) - (line.to - pos);
    };
    dispatch(
      state.update({
        changes,
        selection: { anchor: place(anchor), head: place(head) },
        userEvent: "input.format",
        scrollIntoView: true,
      }),
    );
    return true;
  };
}

function selectedLines(state: EditorState): Line[] {
  const { from, to } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from).number, state.doc.lineAt(to).number];
  return Array.from({ length: last - first + 1 }, (_, i) => state.doc.line(first + i));
}

/** Goes on with a list or a quote in the next line; an empty item ends it. */
export const continueList: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const line = state.doc.lineAt(main.from);
  const sign = /^(\s*)(?:([-*+])|(\d+)([.)])|(>))( +)(\[[ xX]\] )?/.exec(line.text);
  if (!main.empty || !sign || main.from < line.from + sign[0].length) return false;
  if (line.text.length === sign[0].length) {
    // Text right below an item would be a part of it.
    dispatch(state.update({ changes: { from: line.from, to: line.to, insert: "\n" }, selection: { anchor: line.from + 1 }, userEvent: "input" }));
    return true;
  }
  const [, space, bullet, number, dot, quote, gap, task] = sign;
  const next = `\n${space}${bullet ?? quote ?? `${Number(number) + 1}${dot}`}${gap}${task ? "[ ] " : ""}`;
  dispatch(
    state.update({
      changes: { from: main.from, insert: next },
      selection: { anchor: main.from + next.length },
      userEvent: "input",
      scrollIntoView: true,
    }),
  );
  return true;
};

/** Puts the selection into a link or a picture, and the cursor where something is missing. */
export function reference(kind: "link" | "image", url = "", text = ""): StateCommand {
  return ({ state, dispatch }) => {
    const { from, to } = state.selection.main;
    const shown = (state.sliceDoc(from, to) || text).replace(/[[\]]/g, "\\$&");
    const insert = `${kind === "image" ? "!" : ""}[${shown}](${escapedURL(url)})`;
    const inside = from + (kind === "image" ? 2 : 1);
    const anchor = url ? from + insert.length : shown ? from + insert.length - 1 : inside;
    dispatch(
      state.update({ changes: { from, to, insert }, selection: { anchor }, userEvent: "input.format", scrollIntoView: true }),
    );
    return true;
  };
}

const escapedURL = (url: string): string => (/[\s()<>]/.test(url) ? `<${url.replace(/[<>]/g, encodeURIComponent)}>` : url);

/** Puts a text into lines of its own, as a code block. */
export const codeBlock: StateCommand = ({ state, dispatch }) => {
  const lines = selectedLines(state);
  const [from, to] = [lines[0]!.from, lines.at(-1)!.to];
  const text = state.sliceDoc(from, to);
  const insert = `\`\`\`\n${text}\n\`\`\``;
  dispatch(
    state.update({
      changes: { from, to, insert },
      selection: { anchor: from + 4, head: from + 4 + text.length },
      userEvent: "input.format",
      scrollIntoView: true,
    }),
  );
  return true;
};
