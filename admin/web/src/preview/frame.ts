// The page in its frame, and what the two say to each other. Only messages from the window of
// the frame and the origin of its address count, and only that origin hears what is said.

import script from "../../../../examples/preview/preview.js" with { type: "text" };

interface Message {
  type?: unknown;
  payload?: { path?: unknown };
}

export class Frame {
  readonly element: HTMLIFrameElement;
  private origin = "";
  private listens = false;
  private requests = 0; // to show something, since the page was loaded last

  constructor(
    /** The window that the frame is in. */
    private readonly around: Window,
    title: string,
    private readonly onField: (name: string) => void,
    /** The page listens: it was loaded, perhaps again. */
    private readonly onReady: () => void,
  ) {
    this.element = around.document.createElement("iframe");
    this.element.title = title;
    this.element.referrerPolicy = "no-referrer";
    this.element.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox");
    around.addEventListener("message", this.hear);
  }

  /** Shows an address. */
  show(url: string) {
    this.origin = new URL(url).origin;
    this.listens = false;
    this.requests++;
    this.element.src = url;
  }

  /** Has the page show what has changed; one that does not listen is loaded again. */
  refresh() {
    if (!this.listens) return this.show(this.element.src);
    this.requests++;
    this.say("strapiUpdate");
  }

  say(type: string, payload?: unknown) {
    if (this.listens) this.element.contentWindow?.postMessage({ type, payload }, this.origin);
  }

  remove() {
    this.around.removeEventListener("message", this.hear);
    this.element.remove();
  }

  private readonly hear = ({ source, origin, data }: MessageEvent<Message | null>) => {
    if (source === null || source !== this.element.contentWindow || origin !== this.origin) return;
    const path = data?.payload?.path;
    if (data?.type === "previewReady") {
      this.listens = true;
      this.say("strapiScript", { script: `window.quireAdmin = ${JSON.stringify(location.origin)};\n${script}` });
      const lost = this.requests > 1; // those after the first may have gone to the page before it was loaded again
      this.requests = 0;
      if (lost) this.refresh();
      this.onReady();
    } else if (data?.type === "strapiFieldFocusIntent" && typeof path === "string") this.onField(path);
  };
}
