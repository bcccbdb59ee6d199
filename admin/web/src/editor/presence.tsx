// Who else has the document open, and in which field they are.

import { computed } from "@preact/signals";
import { device } from "../core/device";
import { t } from "../core/i18n";
import { people, type Person } from "../core/live";

const others = computed(() => people.value.filter((p) => p.device !== device()));

export function Presence() {
  const list = unique(others.value);
  if (list.length === 0) return null;
  return (
    <ul class="presence" aria-label={t("presence.here")}>
      {list.slice(0, 5).map(({ account }) => (
        <li key={account.id} data-tip={t("presence.has-open", { name: account.name })} style={{ "--hue": hueOf(account.id) }}>
          <span aria-hidden="true">{initials(account.name)}</span>
          <span class="visually-hidden">{t("presence.has-open", { name: account.name })}</span>
        </li>
      ))}
    </ul>
  );
}

/** Who is in a field, beside its label. */
export function InField({ name }: { name: string }) {
  const here = unique(others.value.filter((p) => p.editing.includes(name)));
  if (here.length === 0) return null;
  return (
    <span class="in-field" style={{ "--hue": hueOf(here[0]?.account.id ?? "") }}>
      {t("presence.in-field", { names: here.map((p) => p.account.name).join(", ") })}
    </span>
  );
}

function unique(list: readonly Person[]): Person[] {
  return [...new Map(list.map((p) => [p.account.id, p])).values()];
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return ((words[0]?.[0] ?? "") + (words.length > 1 ? (words.at(-1)?.[0] ?? "") : "")).toUpperCase();
}

function hueOf(id: string): string {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  return String(sum);
}
