import type { Messages } from "../../core/message";
import type { en } from "./en";

export const zh: Messages<keyof typeof en> = {
  title: "来自{name}的建议",
  shorten: "缩短 {label}",
  alternative: "{name} 的替代文本",
  by: "来自语言模型 {model} 的建议。在采用并保存之前不会保存任何内容。",
  current: "当前",
  suggestion: "{model} 的建议",
  asking: "正在请求建议…",
  waiting: "等待中",
  replaces: "将替换现有内容。",
  nothing: "没有需要翻译的文本。",
  take: "采用",
  "take-one": "采用对 {label} 的建议",
  leave: "不采用",
  "leave-one": "不采用对 {label} 的建议",
  "take-all": "采用全部 {n} 条建议",
  again: "重试",
  "again-one": "重试：{label}",
  taken: "已采用",
  left: "未采用",
  close: "关闭",
  ready: "{n} 条建议已就绪",
};
