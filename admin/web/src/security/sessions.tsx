// Where the account is signed in, and ending that.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { toast, toastError } from "../ui/toasts";
import { t } from "./words";

interface Place {
  id: string;
  address: string;
  agent: string;
  createdAt: string;
  lastUsedAt: string;
  way: "password" | "passkey" | "link" | "command" | "openid";
  current: boolean;
}

export function Sessions() {
  const [places, setPlaces] = useState<Place[]>([]);
  const load = async () => setPlaces((await request<Place[]>("GET", "/sessions")).data);
  useEffect(() => void load().catch(toastError), []);
  const end = async ({ id }: Place) => {
    await request("DELETE", `/sessions/${id}`);
    toast({ kind: "done", text: t("sessions.ended") });
    await load();
  };
  const endOthers = async () => {
    const sure = await confirm({ title: t("sessions.others-title"), body: t("sessions.others-text"), action: t("sessions.end-others"), danger: true });
    if (!sure) return;
    await request("DELETE", "/sessions");
    toast({ kind: "done", text: t("sessions.others-ended") });
    await load();
  };
  return (
    <SectionPart
      title={t("sessions.title")}
      text={t("sessions.text")}
      actions={places.length > 1 && <Button onClick={() => void endOthers().catch(toastError)}>{t("sessions.end-others")}</Button>}
    >
      <SectionTable columns={[t("sessions.where"), t("sessions.address"), t("sessions.since"), t("sessions.used")]}>
        {places.map((place) => (
          <Row key={place.id} place={place} end={() => void end(place).catch(toastError)} />
        ))}
      </SectionTable>
    </SectionPart>
  );
}

function Row({ place, end }: { place: Place; end: () => void }) {
  const device = deviceOf(place.agent);
  return (
    <tr>
      <th scope="row" data-tip={place.agent || undefined}>
        <strong>{device}</strong>
        {place.current && <span class="quiet-text"> ({t("sessions.this")})</span>}
        <span class="quiet-text session-way">{t(`sessions.by-${place.way}`)}</span>
      </th>
      <td data-label={t("sessions.address")}>{place.address || "–"}</td>
      <td data-label={t("sessions.since")} class="quiet-text">
        <Moment at={place.createdAt} />
      </td>
      <td data-label={t("sessions.used")} class="quiet-text">
        <Moment at={place.lastUsedAt} />
      </td>
      <td class="actions">
        {!place.current && (
          <Button small aria-label={t("sessions.end-of", { device })} onClick={end}>
            {t("sessions.end")}
          </Button>
        )}
      </td>
    </tr>
  );
}

function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} data-tip={formatDateTime(at)}>
      {formatAgo(at)}
    </time>
  );
}

// Which browser and system a text means: the first that fits counts, as many name others too.
const browsers: [RegExp, string][] = [[/Edg/, "Edge"], [/OPR/, "Opera"], [/Firefox|FxiOS/, "Firefox"], [/Chrom|CriOS/, "Chrome"], [/Safari/, "Safari"], [/curl/, "curl"]];
const systems: [RegExp, string][] = [[/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Windows/, "Windows"], [/Mac OS/, "macOS"], [/CrOS/, "ChromeOS"], [/Linux/, "Linux"]];

/** What a browser says of itself in a few words, as "Firefox on Linux". */
export function deviceOf(agent: string): string {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(browsers);
  const system = find(systems);
  if (browser && system) return t("sessions.on", { browser, system });
  return browser ?? system ?? t("sessions.unknown");
}
