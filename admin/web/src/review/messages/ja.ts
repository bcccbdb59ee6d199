import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the review of a document in Japanese: the same keys as in en.ts, in the same order.
export const ja: Messages<keyof typeof en> = {
  title: "レビュー",
  stage: "ステージ",
  publish: "「{stage}」からのみ公開できます",
  assignee: "担当者",
  nobody: "なし",
  due: "期限",
  save: "レビューを保存",
  saved: "レビューを保存しました",
  comments: "コメント",
  none: "まだコメントがありません。",
  comment: "新しいコメント",
  about: "対象",
  document: "ドキュメント全体",
  help: "@と名前を入力するとメンションできます。",
  mention: "{name}をメンション",
  send: "コメント",
  sent: "コメントを追加しました",
  answer: "返信",
  "answer-to": "{name}への返信",
  "send-answer": "返信を送信",
  cancel: "キャンセル",
  resolve: "解決",
  reopen: "再開",
  resolved: "解決済みのスレッド{n}件",
  "resolved-by": "{name}が解決",
  "is-resolved": "スレッドを解決しました",
  remove: "コメントを削除",
  removed: "コメントを削除しました",
  somebody: "退会した人",
  "to-field": "フィールド{field}へ移動",
  thread: "{field}のスレッド",

};
