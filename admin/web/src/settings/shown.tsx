// What site.json sets. Nothing is changed here: a site is its folder, kept in git, and the same
// on each machine that serves it.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { SectionPart, SectionTable } from "../screens/section";
import { Empty } from "../ui/empty";
import { toastError } from "../ui/toasts";
import { nameOfType, sayValue, t, type Key, type Value } from "./words";

interface Setting {
  /** Its path in site.json. */
  key: string;
  value: Value;
  unit: string;
  /** site.json says it, else it is the default. */
  set: boolean;
  /** What it says is not shown. */
  kept: boolean;
}

export interface Settings {
  groups: { name: string; settings: Setting[] }[];
  locales: { code: string; name: string; isDefault: boolean }[];
  previews: { uid: string; address: string }[];
  /** The account may change the locales here. */
  editable: boolean;
}

export function useSettings() {
  const state = useState<Settings | null>(null);
  useEffect(() => void request<Settings>("GET", "/settings").then(({ data }) => state[1](data), toastError), []);
  return state;
}

export function Limits() {
  const [settings] = useSettings();
  if (!settings) return null;
  return (
    <>
      <Why />
      <Group of={settings} name="limits" />
      <Group of={settings} name="rates" />
    </>
  );
}

export function Further() {
  const [settings] = useSettings();
  if (!settings) return null;
  return (
    <>
      <Why />
      {["signIn", "admin", "uploads", "storage", "pictures", "keeping", "types", "beside"].map((name) => (
        <Group key={name} of={settings} name={name} />
      ))}
    </>
  );
}

export function Previews() {
  const [settings] = useSettings();
  if (!settings) return null;
  return (
    <>
      <Why />
      <SectionPart title={t("previews.title")} text={t("previews.text")}>
        {settings.previews.length === 0 ? (
          <Empty icon="eye" title={t("previews.none")}>
            {t("previews.none-text")}
          </Empty>
        ) : (
          <SectionTable shownOnly class="settings-table" columns={[t("previews.type"), t("previews.address")]}>
            {settings.previews.map(({ uid, address }) => (
              <tr key={uid}>
                <th scope="row">
                  <strong>{nameOfType(uid)}</strong>
                  <code class="setting-key">{uid}</code>
                </th>
                <td data-label={t("previews.address")}>
                  <code>{address}</code>
                </td>
              </tr>
            ))}
          </SectionTable>
        )}
        <Where keys={["preview"]} />
      </SectionPart>
    </>
  );
}

/** The settings of a group, with where each comes from. */
export function Group({ of, name }: { of: Settings; name: string }) {
  const group = of.groups.find((one) => one.name === name);
  if (!group) return null;
  return (
    <SectionPart title={t(`group.${name}` as Key)} text={t(`group.${name}-text` as Key)}>
      <SectionTable shownOnly class="settings-table" columns={[t("column.setting"), t("column.value"), t("column.from")]}>
        {group.settings.map((one) => (
          <Row key={one.key} of={one} />
        ))}
      </SectionTable>
      <Where keys={[...new Set(group.settings.map((one) => one.key.split(".").slice(0, -1).join(".") || one.key))]} />
    </SectionPart>
  );
}

function Row({ of: { key, value, unit, set, kept } }: { of: Setting }) {
  return (
    <tr>
      <th scope="row">
        {t(`s.${key}` as Key)}
        <code class="setting-key">{key}</code>
      </th>
      <td data-label={t("column.value")}>{kept ? <span class="quiet-text">{set ? t("value.kept") : t("value.none")}</span> : <Said value={value} unit={unit} none={noneOf[key]} />}</td>
      <td data-label={t("column.from")}>{set ? "site.json" : <span class="quiet-text">{t("from.default")}</span>}</td>
    </tr>
  );
}

/** What it means that some settings have no value. */
const noneOf: { readonly [key: string]: Key } = {
  "limits.heavyQueries": "none.processors",
  "limits.indexMemory": "none.quarter",
  "rateLimit.max": "none.unlimited",
  "upload.allow": "none.all",
  "admin.networks": "none.anywhere",
  "backup.schedule": "none.never",
  "admin.schemaEditing": "none.watch",
};

function Said({ value, unit, none }: { value: Value; unit: string; none: Key | undefined }) {
  if (value === null || (Array.isArray(value) && value.length === 0)) return <span class="quiet-text">{t(none ?? "value.none")}</span>;
  return <>{sayValue(value, unit)}</>;
}

/** Why nothing is changed on a page. */
export function Why() {
  return <p class="quiet-text setting-why">{t("why")}</p>;
}

/** Where a setting is changed. */
export function Where({ keys }: { keys: readonly string[] }) {
  return (
    <p class="quiet-text setting-where">
      {t("where")} <code>site.json</code>: {keys.map((key, i) => [i > 0 && ", ", <code key={key}>{key}</code>])}.
    </p>
  );
}
