import { Plugin } from "prosemirror-state";
import { dropPoint } from "prosemirror-transform";
import type { EditorView } from "prosemirror-view";

/** Shows where what is dragged would be dropped: as a line between blocks, or in a text. */
export function dropMark(): Plugin {
  const mark = document.createElement("div");
  mark.className = "blocks-drop";
  const hide = (): void => mark.remove();
  return new Plugin({
    view: () => ({ update: hide, destroy: hide }),
    props: {
      handleDOMEvents: {
        dragover: (view, event) => show(mark, view, event),
        drop: hide,
        dragend: hide,
        dragleave: (view, event) => {
          if (!view.dom.contains(event.relatedTarget as Node | null)) hide();
        },
      },
    },
  });
}

/** Puts the mark over the text, in the box around it. Browsers repeat dragover, so it follows what changes. */
function show(mark: HTMLElement, view: EditorView, event: DragEvent): void {
  const under = view.posAtCoords({ left: event.clientX, top: event.clientY });
  if (!under || !view.editable) return;
  const slice = view.dragging?.slice;
  const to = view.coordsAtPos((slice && dropPoint(view.state.doc, under.pos, slice)) ?? under.pos);
  const box = view.dom.parentElement!;
  const around = box.getBoundingClientRect();
  mark.style.left = `${to.left - around.left - box.clientLeft}px`;
  mark.style.top = `${to.top - around.top - box.clientTop}px`;
  mark.style.width = `${to.right - to.left}px`;
  mark.style.height = `${to.bottom - to.top}px`;
  box.append(mark);
}
