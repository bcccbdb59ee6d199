import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { TreeFragment } from "@lezer/common";
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { GFM, parser } from "@lezer/markdown";

/** The parser of Markdown as editors and the preview read it: with tables, tasks, strikethrough and plain addresses. */
export const markdownParser = parser.configure(GFM);

const look = tagHighlighter([
  { tag: tags.heading1, class: "md-h1" },
  { tag: tags.heading2, class: "md-h2" },
  { tag: [tags.heading3, tags.heading4, tags.heading5, tags.heading6], class: "md-h3" },
  { tag: tags.strong, class: "md-strong" },
  { tag: tags.emphasis, class: "md-em" },
  { tag: tags.strikethrough, class: "md-s" },
  { tag: [tags.link, tags.url], class: "md-link" },
  { tag: tags.monospace, class: "md-code" },
  { tag: tags.quote, class: "md-quote" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName, tags.comment], class: "md-sign" },
]);

/** Gives the text that is seen its look. What has not changed since is not parsed again. */
export class Look {
  decorations;
  private parsed: readonly TreeFragment[] = [];

  constructor(view: EditorView) {
    this.decorations = this.of(view);
  }

  update({ docChanged, viewportChanged, changes, view }: ViewUpdate) {
    if (!docChanged && !viewportChanged) return;
    const ranges: { fromA: number; toA: number; fromB: number; toB: number }[] = [];
    changes.iterChangedRanges((fromA, toA, fromB, toB) => ranges.push({ fromA, toA, fromB, toB }));
    this.parsed = TreeFragment.applyChanges(this.parsed, ranges);
    this.decorations = this.of(view);
  }

  private of({ state, viewport, visibleRanges }: EditorView) {
    const tree = markdownParser.parse(state.sliceDoc(0, viewport.to), this.parsed);
    this.parsed = TreeFragment.addTree(tree, this.parsed, viewport.to < state.doc.length);
    const marks = new RangeSetBuilder<Decoration>();
    for (const { from, to } of visibleRanges) highlightTree(tree, look, (start, end, name) => marks.add(start, end, Decoration.mark({ class: name })), from, to);
    return marks.finish();
  }
}

export const markdownLook = ViewPlugin.fromClass(Look, { decorations: (look) => look.decorations });
