import type { Transaction } from "prosemirror-state";
import { ReplaceStep } from "prosemirror-transform";

/** Tells which changes are one run of typing or deleting, to be undone together. */
export class Runs {
  private run = 0;
  private end = -1;
  private typing = false;

  /** The name of the run that a change belongs to; undefined for a change of its own. */
  note(tr: Transaction): string | undefined {
    if (!tr.docChanged) {
      if (tr.selectionSet && tr.selection.head !== this.end) this.stop();
      return undefined;
    }
    const [step] = tr.steps;
    const plain = tr.steps.length === 1 && step instanceof ReplaceStep && isText(step) && !tr.getMeta("uiEvent");
    if (!plain) {
      this.stop();
      return undefined;
    }
    const deletes = step.slice.size === 0;
    const goesOn = this.end === (deletes ? step.to : step.from) || this.end === step.from;
    if (!goesOn || this.typing === deletes) this.stop();
    this.typing = !deletes;
    this.end = step.from + step.slice.size;
    return `text ${this.run}`;
  }

  /** Ends the run: what comes next is undone by itself. */
  stop() {
    this.run++;
    this.end = -1;
  }
}

function isText(step: ReplaceStep): boolean {
  const { content, openStart, openEnd } = step.slice;
  return openStart === 0 && openEnd === 0 && (content.size === 0 || (content.childCount === 1 && content.firstChild!.isText));
}
