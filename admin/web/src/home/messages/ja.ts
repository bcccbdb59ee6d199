import type { Messages } from "../../core/message";
import type { en } from "./en";

export const ja: Messages<keyof typeof en> = {
  "title": "ホーム画面の配置",
  "parts": "パーツ",
  "stored": "配置を保存しました",
  "usual": "標準の画面に戻す",
  "wide": "幅広",
  "wide-of": "{name}を全幅で表示",
  "remove": "{name}を削除",
  "add": "パーツを追加",
  "kind.count": "件数",
  "kind.chart": "グラフ",
  "kind.note": "メモ",
  "part-title": "タイトル",
  "text": "テキスト",
  "of": "対象のエントリー",
  "group": "グループ化",
  "which": "対象の範囲",
  "which-help": "すべて、またはリストで保存したビューのエントリー。",
  "all": "すべて",
  "chosen": "現在のまま",
  "by": "{type}（{by}別）",
  "entries": "{type} {n}件",
  "nothing": "エントリーがありません。",
  "more": "他{n}個の値",
  "month": "{by}（月）",
  "latest": "直近{n}か月のみを表示しています。",
  "empty": "空",

};
