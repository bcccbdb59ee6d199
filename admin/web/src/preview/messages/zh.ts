import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in simplified Chinese: the same keys as in en.ts, in the same order.
export const zh: Messages<keyof typeof en> = {
  title: "预览",
  frame: "此文档的页面",
  size: "页面宽度",
  phone: "手机",
  desktop: "桌面",
  reload: "重新加载页面",
  window: "在另一个窗口中打开",
  close: "关闭预览",
  width: "预览宽度",
  loading: "正在加载预览…",
  follows: "显示正在输入的内容，无需先保存",
  stored: "显示已保存的内容",
  problem: "预览未显示最近的更改：{reason}",
  outside: "页面在另一个窗口中，并随表单更新。",
  back: "重新显示在此处",
  blocked: "浏览器未允许打开另一个窗口",

};
