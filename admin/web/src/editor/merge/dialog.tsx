// What a merge has changed in the texts of a form, and the way back.

import { t } from "../../core/i18n";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { useSheet } from "../context";
import { placeName } from "../faults";
import { textOf } from "../form/shape";
import { BlocksChange, TextChange } from "../history/texts";

export default function MergeDialog() {
  const { editing, locked } = useSheet();
  const shown = editing.shownMerge.value;
  if (!shown) return null;
  const { text, texts, form } = shown;
  const close = () => (editing.shownMerge.value = null);
  const undo = async () => {
    close();
    const merging = await import("./texts"); // it is there: it has merged them
    for (const one of texts) form.unmerge(one, merging);
  };
  const canUndo = !locked && form === editing.form.value;
  const footer = (
    <>
      {canUndo && (
        <Button class="start" onClick={() => void undo()}>
          {t("undo")}
        </Button>
      )}
      <Button variant="primary" onClick={close}>
        {t("close")}
      </Button>
    </>
  );
  return (
    <Dialog open size="large" title={text} onClose={close} footer={footer}>
      {texts.map(({ path, attribute, mine, merged }) => (
        <section key={path.join("/")} class="conflict" aria-label={placeName(form, editing.type.attributes, path)}>
          <h3>{placeName(form, editing.type.attributes, path)}</h3>
          {attribute.type === "blocks" ? <BlocksChange before={mine} after={merged} /> : <TextChange before={textOf(mine)} after={textOf(merged)} />}
        </section>
      ))}
    </Dialog>
  );
}
