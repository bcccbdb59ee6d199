import type { Messages } from "../../core/message";
import type { en } from "./en";

export const zh: Messages<keyof typeof en> = {
  "title": "视图",
  "none": "视图会保存搜索、筛选条件、排序和列。",
  "name": "将此视图保存为",
  "name-example": "我的草稿",
  "share": "与所有人共享",
  "is-shared": "已共享",
  "save": "保存视图",
  "saved": "“{name}”已保存",
  "chosen": "列表正在显示“{name}”",
  "remove": "移除“{name}”",
  "removed": "“{name}”已移除",

};
