import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import { GFM, parser } from "@lezer/markdown";

/** The parser of Markdown as editors and the preview read it: with tables, tasks, strikethrough and plain addresses. */
export const markdownParser = parser.configure(GFM);

const markdown = new Language(defineLanguageFacet(), markdownParser, [], "markdown");

const look = HighlightStyle.define([
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

export const markdownLanguage: Extension = [markdown, syntaxHighlighting(look)];
