// A suggestion for the alternative text of a picture. It is loaded when somebody asks for one.

import { schema } from "../core/schema";
import type { MediaFile } from "../media/library";
import { type Line, SuggestionsDialog, type Taken } from "./dialog";
import { suggestion, t } from "./words";

export interface AlternativeProps {
  file: MediaFile;
  label: string;
  text: string;
  onTake: (text: string) => void;
  onClose: () => void;
}

export default function Alternative({ file, label, text, onTake, onClose }: AlternativeProps) {
  const locale = schema.peek()?.locales.find((one) => one.isDefault)?.code;
  const line: Line = {
    attribute: { name: "alternativeText", label, type: "text" },
    before: text,
    ask: (signal) => suggestion("describe", { file: file.documentId, locale: locale ?? "" }, signal),
  };
  const take = (taken: Taken) => {
    onTake(String(taken[0]?.value ?? ""));
    onClose();
  };
  return <SuggestionsDialog title={t("alternative", { name: file.name })} source={t("current")} lang={locale} lines={[line]} onTake={take} onClose={onClose} />;
}
