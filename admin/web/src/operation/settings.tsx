// What site.json sets. It is shown here, and changed in the file.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { SectionPart } from "../screens/section";
import { Checkbox } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { t } from "./words";

interface Setting {
  key: string;
  value: string;
  default: boolean;
}

export function Settings() {
  const [settings, setSettings] = useState<Setting[] | null>(null);
  const [changed, showChanged] = useState(false);
  useEffect(() => {
    request<Setting[]>("GET", "/settings").then(({ data }) => setSettings(data), toastError);
  }, []);
  if (!settings) return null;
  const shown = settings.filter((one) => !changed || !one.default);
  return (
    <SectionPart title={t("settings.title")} text={t("settings.text")}>
      <p>
        <Checkbox checked={changed} onInput={showChanged}>
          {t("settings.changed")}
        </Checkbox>
      </p>
      <table class="section-table settings-table">
        <thead>
          <tr>
            <th scope="col">{t("settings.key")}</th>
            <th scope="col">{t("settings.value")}</th>
            <th scope="col">{t("settings.from")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <tr key={one.key}>
              <th scope="row">
                <code>{one.key}</code>
              </th>
              <td data-label={t("settings.value")}>{one.value === "" ? <span class="quiet-text">–</span> : one.value}</td>
              <td data-label={t("settings.from")} class={one.default ? "quiet-text" : undefined}>
                {one.default ? t("settings.default") : "site.json"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </SectionPart>
  );
}
