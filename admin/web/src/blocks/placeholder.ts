import { Plugin } from "prosemirror-state";
import { Decoration, DecorationSet } from "prosemirror-view";
import { isBlank } from "./convert";

/** Shows what belongs into an empty document. */
export function placeholder(text: string): Plugin {
  return new Plugin({
    props: {
      decorations({ doc }) {
        if (!text || !isBlank(doc)) return null;
        return DecorationSet.create(doc, [Decoration.node(0, doc.content.size, { class: "blank", "data-placeholder": text })]);
      },
    },
  });
}
