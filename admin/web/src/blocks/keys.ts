import { baseKeymap, chainCommands, toggleMark } from "prosemirror-commands";
import { InputRule, inputRules, undoInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import { Plugin, Selection, TextSelection, type Command } from "prosemirror-state";
import type { Attrs, Fragment, MarkType, Node, NodeType } from "prosemirror-model";
import { breakLine, breakOrLeave, leave, moveBlock, plainAtStart, setBlock } from "./commands";
import { joinAfterList, joinIntoList, lift, liftAtStart, nest, splitItem, toggleList } from "./lists";
import type { Format } from "./model";
import { schema } from "./schema";

const { nodes, marks } = schema;

/** The keys of the editor. Ctrl is Cmd on a Mac. What the editor does not know goes on to the page. */
export function keys(link: Command): Plugin[] {
  const headings = [1, 2, 3, 4, 5, 6].map((level) => [`Mod-Alt-${level}`, setBlock(nodes.heading, { level })] as const);
  const { "Mod-Enter": _publishes, ...base } = baseKeymap;
  const own: Record<string, Command> = {
    "Mod-b": toggleMark(marks.bold),
    "Mod-i": toggleMark(marks.italic),
    "Mod-u": toggleMark(marks.underline),
    "Mod-Shift-x": toggleMark(marks.strikethrough),
    "Mod-e": toggleMark(marks.code),
    "Mod-k": link,
    "Mod-Alt-0": setBlock(nodes.paragraph),
    ...Object.fromEntries(headings),
    "Mod-Shift-7": toggleList("ordered"),
    "Mod-Shift-8": toggleList("unordered"),
    "Mod-Shift-9": setBlock(nodes.quote),
    "Mod-Home": goTo("start"),
    "Mod-End": goTo("end"),
    "Alt-ArrowUp": moveBlock(-1),
    "Alt-ArrowDown": moveBlock(1),
    "Shift-Enter": breakLine,
    Enter: chainCommands(splitItem, breakOrLeave, base.Enter!),
    Backspace: chainCommands(undoInputRule, liftAtStart, plainAtStart, joinIntoList, base.Backspace!),
    Delete: chainCommands(joinAfterList, base.Delete!),
    ArrowUp: leave(-1),
    ArrowDown: leave(1),
  };
  return [tabs(), keymap(own), keymap(base), inputRules({ rules: rules() })];
}

function goTo(edge: "start" | "end"): Command {
  return ({ doc, tr }, dispatch) => {
    dispatch?.(tr.setSelection(edge === "start" ? Selection.atStart(doc) : Selection.atEnd(doc)).scrollIntoView());
    return true;
  };
}

/** Tab nests items. Nobody is caught: Tab after Escape leaves the editor. */
function tabs(): Plugin {
  let leaves = false;
  return new Plugin({
    props: {
      handleKeyDown(view, event) {
        if (event.key === "Escape") leaves = true;
        else if (event.key !== "Tab" && event.key !== "Shift") leaves = false;
        const inList = view.state.selection.$from.parent.type === nodes.list_item;
        if (event.key !== "Tab" || leaves || !inList || event.ctrlKey || event.altKey || event.metaKey) return false;
        const command = event.shiftKey ? lift : nest;
        command(view.state, view.dispatch);
        return true;
      },
      handleDOMEvents: {
        blur: () => {
          leaves = false;
        },
      },
    },
  });
}

function rules(): InputRule[] {
  return [
    block(/^(#{1,6})\s$/, nodes.heading, (match) => ({ level: match[1]!.length })),
    block(/^>\s$/, nodes.quote),
    block(/^```(\w*)\s$/, nodes.code_block, (match) => ({ language: match[1] || null })),
    list(/^[-*]\s$/, "unordered"),
    list(/^1[.)]\s$/, "ordered"),
    marked(/(?:^|\s)\*\*([^\s*](?:[^*]*[^\s*])?)\*\*$/, marks.bold),
    marked(/(?:^|\s)_([^\s_](?:[^_]*[^\s_])?)_$/, marks.italic),
    marked(/(?:^|\s)`([^`]+)`$/, marks.code),
    marked(/(?:^|\s)~~([^\s~](?:[^~]*[^\s~])?)~~$/, marks.strikethrough),
  ];
}

/** A rule that makes a paragraph another block, and leaves items, headings and quotes alone. */
function block(pattern: RegExp, type: NodeType, attrs: (match: RegExpMatchArray) => Attrs = () => ({})): InputRule {
  return atLineStart(pattern, (match, content) => [type.create(attrs(match), content), 1]);
}

function list(pattern: RegExp, format: Format): InputRule {
  return atLineStart(pattern, (_, content) => [nodes.list.create({ format }, nodes.list_item.create(null, content)), 2]);
}

/** make gives the block for the rest of a paragraph, and where its text begins. */
function atLineStart(pattern: RegExp, make: (match: RegExpMatchArray, content: Fragment) => [Node, number]): InputRule {
  return new InputRule(pattern, (state, match, start, end) => {
    const $start = state.doc.resolve(start);
    if ($start.parent.type !== nodes.paragraph || $start.parentOffset > 0) return null;
    const [made, inside] = make(match, $start.parent.content.cut(end - start));
    const tr = state.tr.replaceWith($start.before(), $start.after(), made);
    return tr.setSelection(TextSelection.create(tr.doc, $start.before() + inside));
  });
}

/** A rule that gives the text between signs a mark, and removes the signs. */
function marked(pattern: RegExp, mark: MarkType): InputRule {
  return new InputRule(pattern, (state, match, start, end) => {
    if (state.doc.resolve(start).parent.type.spec.code) return null;
    const from = start + match[0].lastIndexOf(match[1]!);
    const opens = start + match[0].search(/\S/);
    const to = from + match[1]!.length;
    const tr = state.tr;
    if (to < end) tr.delete(to, end);
    return tr.addMark(from, to, mark.create()).delete(opens, from).removeStoredMark(mark);
  });
}
