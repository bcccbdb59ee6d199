import type { Messages } from "../../core/message";
import type { en } from "./en";

export const ja: Messages<keyof typeof en> = {
  "title": "ビュー",
  "none": "ビューには、検索、フィルター、並び順、列が保存されます。",
  "name": "このビューの名前",
  "name-example": "自分の下書き",
  "share": "全員と共有",
  "is-shared": "共有",
  "save": "ビューを保存",
  "saved": "「{name}」を保存しました",
  "chosen": "リストに「{name}」を表示しています",
  "remove": "「{name}」を削除",
  "removed": "「{name}」を削除しました",

};
