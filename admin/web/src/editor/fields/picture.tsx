// How a file of the library is shown.

import { formatNumber } from "../../core/i18n";
import { Icon } from "../../ui/icon";
import type { MediaFile } from "../form/shape";

/** The address of a small picture of a file; undefined where it is no picture. */
export function thumbnailOf(file: MediaFile | undefined): string | undefined {
  if (!file?.mime?.startsWith("image/")) return undefined;
  return file.formats?.["thumbnail"]?.url ?? file.url;
}

/** Whether an address expires: that of a private file. */
export function isSigned(url: string | undefined): boolean {
  return url?.includes("?access=") ?? false;
}

export function Picture({ file }: { file: MediaFile }) {
  const source = thumbnailOf(file);
  return <span class="picture">{source ? <img src={source} alt="" loading="lazy" draggable={false} /> : <Icon name="file" size={20} />}</span>;
}

/** "JPG · 1,200 × 800 · 240 kB". The size of a file is in kilobytes. */
export function describeFile(file: MediaFile): string {
  const kind = (file.ext ?? "").replace(".", "").toUpperCase() || file.mime;
  const measure = file.width && file.height ? `${formatNumber(file.width)} × ${formatNumber(file.height)}` : "";
  return [kind, measure, file.size === undefined ? "" : formatSize(file.size)].filter(Boolean).join(" · ");
}

function formatSize(kilobytes: number): string {
  if (kilobytes < 1000) return `${formatNumber(Math.max(1, Math.round(kilobytes)))} kB`;
  return `${formatNumber(Math.round(kilobytes / 100) / 10)} MB`;
}
