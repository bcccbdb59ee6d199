import type { Messages } from "../../core/message";
import type { en } from "./en";

export const zh: Messages<keyof typeof en> = {
  "title": "调整首页布局",
  "parts": "部件",
  "stored": "布局已保存",
  "usual": "恢复默认首页",
  "wide": "加宽",
  "wide-of": "{name} 占满宽度",
  "remove": "移除 {name}",
  "add": "添加部件",
  "kind.count": "数量",
  "kind.chart": "图表",
  "kind.note": "备注",
  "part-title": "标题",
  "text": "文本",
  "of": "条目来源",
  "group": "分组依据",
  "which": "哪些条目",
  "which-help": "全部，或列表中已保存视图的条目。",
  "all": "全部",
  "chosen": "保持现状",
  "by": "{type}（按{by}）",
  "entries": "{type}：{n} 个条目",
  "nothing": "没有条目。",
  "more": "另有 {n} 个值",
  "month": "{by}（月份）",
  "latest": "仅显示最近 {n} 个月。",
  "empty": "空",

};
