// What a merge has changed in the texts of a form, and the way back.

import { t } from "../../core/i18n";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import type { MergedText } from "../form/merge";
import { BlocksChange, TextChange } from "../history/texts";

export interface MergeDialogProps {
  title: string;
  texts: readonly MergedText[];
  nameOf: (text: MergedText) => string;
  undo: (() => void) | undefined;
  close: () => void;
}

export default function MergeDialog({ title, texts, nameOf, undo, close }: MergeDialogProps) {
  const footer = (
    <>
      {undo && (
        <Button class="start" onClick={undo}>
          {t("undo")}
        </Button>
      )}
      <Button variant="primary" onClick={close}>
        {t("close")}
      </Button>
    </>
  );
  return (
    <Dialog open size="large" title={title} onClose={close} footer={footer}>
      {texts.map((text) => (
        <section key={text.path.join("/")} class="conflict" aria-label={nameOf(text)}>
          <h3>{nameOf(text)}</h3>
          {text.attribute.type === "blocks" ? <BlocksChange before={text.mine} after={text.merged} /> : <TextChange before={String(text.mine ?? "")} after={String(text.merged ?? "")} />}
        </section>
      ))}
    </Dialog>
  );
}
