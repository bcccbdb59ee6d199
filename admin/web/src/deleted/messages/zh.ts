import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in simplified Chinese: the same keys as in en.ts, in the same order.
export const zh: Messages<keyof typeof en> = {
  title: "最近删除",
  text: "最近几天删除的内容。恢复后成为草稿，不会发布。",
  "text-plain": "最近几天删除的内容。恢复后会重新公开。",
  none: "最近没有删除任何内容",
  "none-text": "此后删除的内容可在几天内从这里恢复。",
  by: "由 {name} 删除于 {when}",
  at: "删除于 {when}",
  restore: "恢复",
  "restore-one": "恢复“{title}”",
  history: "“{title}”的历史记录",
  restored: "“{title}”已恢复",
  open: "打开",
  kept: "历史记录中已不存在。",

};
