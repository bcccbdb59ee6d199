import type { Messages } from "../../core/message";

export const en = {
  "title": "Views",
  "none": "A view keeps what you search and filter by, the order and the columns.",
  "name": "Save this view as",
  "name-example": "Drafts of mine",
  "share": "Share it with everybody",
  "is-shared": "shared",
  "save": "Save the view",
  "saved": "“{name}” is saved",
  "chosen": "The list shows “{name}”",
  "remove": "Remove “{name}”",
  "removed": "“{name}” is removed",
} satisfies Messages<string>;
