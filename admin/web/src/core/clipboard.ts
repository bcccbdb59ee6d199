// Copying to the clipboard, also where the page is not served over TLS and the browser
// has no clipboard for it.

/** Puts a text on the clipboard. It fails where the browser forbids it. */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", onCopy);
  try {
    if (!document.execCommand("copy")) throw new Error("the browser does not copy");
  } finally {
    document.removeEventListener("copy", onCopy);
  }
}
