// The same is said about many files at once.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Checkbox, TextArea } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { type MediaFile, refresh } from "./library";
import { clearSelection } from "./selection";
import { t } from "./words";

const texts = [
  { key: "alternativeText", set: "describe.alt", label: "file.alt" },
  { key: "caption", set: "describe.caption", label: "file.caption" },
] as const;

export function DescribeDialog({ files, onClose }: { files: readonly MediaFile[]; onClose: () => void }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const given = Object.keys(values).length > 0;
  const save = async () => {
    setBusy(true);
    const info = Object.fromEntries(Object.entries(values).map(([key, text]) => [key, text.trim() || null]));
    try {
      await request("POST", "/media/describe", { body: { list: [{ files: files.map((file) => file.documentId), info }] } });
      toast({ kind: "done", text: t("describe.done", { n: files.length }) });
      clearSelection();
      refresh();
      onClose();
    } catch (error) {
      setBusy(false);
      toastError(error);
    }
  };
  return (
    <Dialog
      open
      size="small"
      title={t("describe.title", { n: files.length })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("close")}</Button>
          <Button variant="primary" busy={busy} disabled={!given} onClick={() => void save()}>
            {t("describe.save")}
          </Button>
        </>
      }
    >
      <div class="media-fields">
        {texts.map(({ key, set, label }) => (
          <div key={key} class="media-describe">
            <Checkbox
              checked={key in values}
              onInput={(on) => {
                const { [key]: _, ...rest } = values;
                setValues(on ? { ...values, [key]: "" } : rest);
              }}
            >
              {t(set)}
            </Checkbox>
            {key in values && <TextArea aria-label={t(label)} rows={2} value={values[key] ?? ""} onInput={(text) => setValues({ ...values, [key]: text })} />}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
