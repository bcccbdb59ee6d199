// Components that are loaded when they are first shown.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadMessages } from "../core/i18n";
import { piece } from "../core/pieces";

/** A component that is loaded when it is first shown; ready loads it ahead of time. */
export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  let Page: ComponentType<P> | undefined;
  const ready = async (): Promise<void> => {
    if (Page) return;
    const loaded = await piece(load);
    await loadMessages(); // of the piece, before it is shown
    Page = loaded.default;
  };
  function Lazy(props: P) {
    const [, loaded] = useState(0);
    const [failed, setFailed] = useState<unknown>(null);
    useEffect(() => {
      if (!Page) ready().then(() => loaded(1), setFailed);
    }, []);
    if (failed) throw failed;
    return Page ? <Page {...props} /> : null;
  }
  return { Lazy, ready };
}
