// The messages of the page beside a form.
export const en = {
  title: "Preview",
  frame: "The page of this document",
  size: "Width of the page",
  phone: "Phone",
  desktop: "Desktop",
  reload: "Load the page again",
  window: "Open in another window",
  close: "Close the preview",
  width: "Width of the preview",
  loading: "The preview is being loaded …",
  follows: "Shows what is typed, before it is saved",
  stored: "Shows what is saved",
  problem: "The preview does not show the last change: {reason}",
  outside: "The page is in another window, and follows the form there.",
  back: "Show it here again",
  blocked: "The browser has not allowed another window",
};
