// The editor of blocks, without a framework. It is loaded when it is first needed.

import type { MountEditor } from "../core/text-editor";

export const mount: MountEditor<unknown> = (element, options) => {
  element.textContent = JSON.stringify(options.value);
  return { set: (value) => (element.textContent = JSON.stringify(value)), focus: () => element.focus(), destroy: () => element.replaceChildren() };
};
