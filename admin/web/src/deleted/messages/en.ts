// The messages of what was deleted.
export const en = {
  title: "Recently deleted",
  text: "What was deleted in the last days. Restoring makes drafts; nothing is published.",
  "text-plain": "What was deleted in the last days. Restoring makes it public again.",
  none: "Nothing was deleted lately",
  "none-text": "What is deleted from now on can be restored here for some days.",
  by: "Deleted {when} by {name}",
  at: "Deleted {when}",
  restore: "Restore",
  "restore-one": "Restore “{title}”",
  history: "History of “{title}”",
  restored: "“{title}” was restored",
  open: "Open",
  kept: "The history does not have it any more.",
} as const;
