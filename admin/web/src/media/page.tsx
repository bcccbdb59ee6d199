// The section of media: the library, and pictures that lack a text.

import { schema } from "../core/schema";
import { SectionPage } from "../screens/section";
import { Library } from "./screen";
import { Texts } from "./texts";
import { t } from "./words";

export default function Media() {
  const pages = [{ path: "", label: t("files"), Page: Library }];
  if (schema.value?.files.includes("upload")) pages.push({ path: "texts", label: t("no-text"), Page: Texts });
  return <SectionPage path="/media" title={t("title")} pages={pages} />;
}
