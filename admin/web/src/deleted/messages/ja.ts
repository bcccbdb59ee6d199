import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of what was deleted in Japanese: the same keys as in en.ts, in the same order.
export const ja: Messages<keyof typeof en> = {
  title: "最近削除したもの",
  text: "この数日間に削除されたものです。復元すると下書きになり、公開はされません。",
  "text-plain": "この数日間に削除されたものです。復元すると再び公開されます。",
  none: "最近削除されたものはありません",
  "none-text": "今後削除したものは、数日間ここから復元できます。",
  by: "{name}が削除（{when}）",
  at: "削除：{when}",
  restore: "復元",
  "restore-one": "「{title}」を復元",
  history: "「{title}」の履歴",
  restored: "「{title}」を復元しました",
  open: "開く",
  kept: "履歴に残っていません。",

};
