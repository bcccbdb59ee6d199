// Components that are loaded when they are first shown.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadMessages, t } from "../core/i18n";
import { piece } from "../core/pieces";
import { Button } from "./button";

/**
 * A component that is loaded when it is first shown; ready loads it ahead of time. One beside a
 * form leaves the form as it is if it cannot be loaded.
 */
export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>, beside = false) {
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
    if (failed && !beside) throw failed;
    if (failed) {
      return (
        <p class="quiet-text" role="status">
          {t("shell.part-broken")}{" "}
          <Button small variant="quiet" onClick={() => location.reload()}>
            {t("shell.reload")}
          </Button>
        </p>
      );
    }
    return Page ? <Page {...props} /> : null;
  }
  return { Lazy, ready };
}
