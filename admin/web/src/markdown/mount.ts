// The editor of Markdown, without a framework. It is loaded when it is first needed.

import type { MountEditor } from "../core/text-editor";

export const mount: MountEditor<string | null> = (element, options) => {
  element.textContent = options.value;
  return { set: (value) => (element.textContent = value), focus: () => element.focus(), destroy: () => element.replaceChildren() };
};
