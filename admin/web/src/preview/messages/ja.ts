import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in Japanese: the same keys as in en.ts, in the same order.
export const ja: Messages<keyof typeof en> = {
  title: "プレビュー",
  frame: "このドキュメントのページ",
  size: "ページの幅",
  phone: "スマートフォン",
  desktop: "デスクトップ",
  reload: "ページを再読み込み",
  window: "別のウィンドウで開く",
  close: "プレビューを閉じる",
  width: "プレビューの幅",
  loading: "プレビューを読み込んでいます…",
  follows: "入力内容を保存前に表示します",
  stored: "保存済みの内容を表示します",
  problem: "直前の変更をプレビューに表示できません：{reason}",
  outside: "ページは別のウィンドウにあり、フォームに合わせて更新されます。",
  back: "ここに再表示",
  blocked: "ブラウザーが別のウィンドウを許可しませんでした",

};
