import type { Messages } from "../../core/message";
import type { en } from "./en";

export const ja: Messages<keyof typeof en> = {
  title: "{name}からの提案",
  shorten: "{label}を短くする",
  alternative: "{name}の代替テキスト",
  by: "言語モデル{model}の提案です。採用して保存するまで、何も保存されません。",
  current: "現在",
  suggestion: "{model}の提案",
  asking: "提案を依頼しています…",
  waiting: "順番待ちです",
  replaces: "現在の内容を置き換えます。",
  nothing: "翻訳するテキストがありません。",
  take: "採用",
  "take-one": "{label}への提案を採用",
  leave: "見送る",
  "leave-one": "{label}への提案を見送る",
  "take-all": "{n}件の提案を採用",
  again: "再試行",
  "again-one": "再試行：{label}",
  taken: "採用しました",
  left: "見送りました",
  close: "閉じる",
  ready: "{n}件の提案が用意できました",
};
