import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the review of a document in simplified Chinese: the same keys as in en.ts, in the same order.
export const zh: Messages<keyof typeof en> = {
  title: "审阅",
  stage: "阶段",
  publish: "只能从“{stage}”发布",
  assignee: "审阅人",
  nobody: "无",
  due: "截止",
  save: "保存审阅",
  saved: "审阅已保存",
  comments: "评论",
  none: "还没有评论。",
  comment: "新评论",
  about: "关于",
  document: "整个文档",
  help: "输入 @ 和姓名可提及他人。",
  mention: "提及 {name}",
  send: "评论",
  sent: "评论已添加",
  answer: "回复",
  "answer-to": "回复 {name}",
  "send-answer": "发送回复",
  cancel: "取消",
  resolve: "解决",
  reopen: "重新打开",
  resolved: "{n} 个已解决的讨论",
  "resolved-by": "由 {name} 解决",
  "is-resolved": "讨论已解决",
  remove: "移除评论",
  removed: "评论已移除",
  somebody: "已离开的人",
  "to-field": "转到字段 {field}",
  thread: "关于 {field} 的讨论",

};
