// How the site runs: what quire status says, and the last hour in small charts.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime, formatNumber } from "../core/i18n";
import { SectionPart, SectionTable } from "../screens/section";
import { toastError } from "../ui/toasts";
import { Chart } from "./chart";
import { formatBytes, formatSeconds, round, t } from "./words";

interface Sample {
  at: string;
  requests: number;
  failed: number;
  writes: number;
  memory: number;
}

interface Series {
  seconds: number;
  samples: Sample[];
}

/** What `quire status --json` prints of a running server. */
interface SiteStatus {
  server: {
    version: string;
    started: string;
    problem?: string;
    memoryBytes: number;
    load: { connections: number; refusedRequests: number; heavyQueryWaits: number };
    requests: { total: number; p50Seconds: number; p99Seconds: number; slow: number; throttled: number; panics: number };
    writes: { total: number; commits: number; failedCommits: number; commitP50Seconds: number; commitP99Seconds: number };
  };
  content: { fileBytes: number; freeBytes: number; revision: number; entries: { type: string; draft: number; published: number }[] };
  uploads: { files: number; bytes: number };
  backup: { made: string; size: number } | null;
  releases: { scheduled: number; failed: number };
}

/** How often the page looks again, in milliseconds. */
const again = 10_000;

export function Status() {
  const [status, setStatus] = useState<SiteStatus | null>(null);
  const [series, setSeries] = useState<Series | null>(null);
  useEffect(() => {
    const load = async () => {
      const [now, past] = await Promise.all([request<SiteStatus>("GET", "/status"), request<Series>("GET", "/status/series")]);
      setStatus(now.data);
      setSeries(past.data);
    };
    void load().catch(toastError);
    const timer = setInterval(() => {
      if (!document.hidden) void load().catch(() => undefined); // the page says that the server is not reached
    }, again);
    return () => clearInterval(timer);
  }, []);
  if (!status || !series) return null;
  return (
    <>
      <SectionPart title={t("status.title")} text={t("status.text")}>
        <Figures of={status} />
      </SectionPart>
      <SectionPart title={t("series.title")} text={t("series.text")}>
        <Charts of={series} />
      </SectionPart>
      <SectionPart title={t("entries.title")}>
        <Entries of={status.content.entries} />
      </SectionPart>
    </>
  );
}

function Figures({ of: { server, content, uploads, backup, releases } }: { of: SiteStatus }) {
  const { requests, writes, load } = server;
  const none = backup === null;
  return (
    <dl class="figures">
      <Figure name={t("figure.state")} bad={Boolean(server.problem)} more={t("figure.since", { when: formatDateTime(server.started) })}>
        {server.problem ?? t("figure.ready")}
      </Figure>
      <Figure name={t("figure.version")}>{server.version}</Figure>
      <Figure name={t("figure.memory")}>{formatBytes(server.memoryBytes)}</Figure>
      <Figure name={t("figure.requests")} more={t("figure.requests-more", { half: formatSeconds(requests.p50Seconds), most: formatSeconds(requests.p99Seconds) })}>
        {formatNumber(requests.total)}
      </Figure>
      <Figure name={t("figure.refused")} more={t("figure.refused-more", { slow: requests.slow, throttled: requests.throttled, panics: requests.panics })}>
        {formatNumber(load.refusedRequests)}
      </Figure>
      <Figure name={t("figure.writes")} bad={writes.failedCommits > 0} more={t("figure.writes-more", { commits: writes.commits, failed: writes.failedCommits, most: formatSeconds(writes.commitP99Seconds) })}>
        {formatNumber(writes.total)}
      </Figure>
      <Figure name={t("figure.file")} more={t("figure.file-more", { free: formatBytes(content.freeBytes) })}>
        {formatBytes(content.fileBytes)}
      </Figure>
      <Figure name={t("figure.uploads")} more={formatBytes(uploads.bytes)}>
        {t("figure.files", { n: uploads.files })}
      </Figure>
      <Figure name={t("figure.backup")} bad={none} more={backup ? formatBytes(backup.size) : undefined}>
        {backup ? <time dateTime={backup.made}>{formatAgo(backup.made)}</time> : t("figure.none")}
      </Figure>
      <Figure name={t("figure.releases")} bad={releases.failed > 0} more={t("figure.releases-more", { failed: releases.failed })}>
        {formatNumber(releases.scheduled)}
      </Figure>
    </dl>
  );
}

function Figure({ name, more, bad, children }: { name: string; more?: string | undefined; bad?: boolean; children: ComponentChildren }) {
  return (
    <div class={`figure${bad ? " bad" : ""}`}>
      <dt>{name}</dt>
      <dd>
        <strong>{children}</strong>
        {more && <span class="quiet-text">{more}</span>}
      </dd>
    </div>
  );
}

function Charts({ of: { seconds, samples } }: { of: Series }) {
  const rate = (figure: number) => t("series.rate", { n: round(figure) });
  const charts = [
    { title: t("series.requests"), figures: samples.map((one) => one.requests), say: rate },
    { title: t("series.failed"), figures: samples.map((one) => one.failed), say: rate },
    { title: t("series.writes"), figures: samples.map((one) => one.writes), say: rate },
    { title: t("series.memory"), figures: samples.map((one) => one.memory), say: formatBytes },
  ];
  if (samples.length < 2) return <p class="quiet-text">{t("series.none", { n: seconds * 2 })}</p>;
  return (
    <>
      <div class="charts">
        {charts.map((chart) => (
          <Chart key={chart.title} {...chart} caption={t("series.highest", { figure: chart.say(Math.max(...chart.figures)) })} />
        ))}
      </div>
      <SeriesTable samples={samples} step={Math.max(1, Math.round(60 / seconds))} />
    </>
  );
}

/** What the charts show, a row for each minute. */
function SeriesTable({ samples, step }: { samples: Sample[]; step: number }) {
  const rows = samples.filter((_, i) => (samples.length - 1 - i) % step === 0).reverse();
  return (
    <details class="fold">
      <summary>{t("series.table")}</summary>
      <SectionTable shownOnly columns={[t("series.time"), t("series.requests"), t("series.failed"), t("series.writes"), t("series.memory")]}>
        {rows.map((one) => (
          <tr key={one.at}>
            <th scope="row">{formatDateTime(one.at)}</th>
            <td data-label={t("series.requests")}>{formatNumber(round(one.requests))}</td>
            <td data-label={t("series.failed")}>{formatNumber(round(one.failed))}</td>
            <td data-label={t("series.writes")}>{formatNumber(round(one.writes))}</td>
            <td data-label={t("series.memory")}>{formatBytes(one.memory)}</td>
          </tr>
        ))}
      </SectionTable>
    </details>
  );
}

function Entries({ of: entries }: { of: SiteStatus["content"]["entries"] }) {
  if (entries.length === 0) return <p class="quiet-text">{t("entries.none")}</p>;
  return (
    <SectionTable shownOnly columns={[t("entries.type"), t("entries.published"), t("entries.draft")]}>
      {entries.map((one) => (
        <tr key={one.type}>
          <th scope="row">{one.type}</th>
          <td data-label={t("entries.published")}>{formatNumber(one.published)}</td>
          <td data-label={t("entries.draft")}>{formatNumber(one.draft)}</td>
        </tr>
      ))}
    </SectionTable>
  );
}
