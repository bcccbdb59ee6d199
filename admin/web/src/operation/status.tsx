// How the site runs: what quire status says, and the last hour in small charts.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime, formatNumber } from "../core/i18n";
import { typeOf } from "../core/schema";
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
  /** Within which time half and 99 of 100 requests were answered; 0 where there were none. */
  p50Seconds: number;
  p99Seconds: number;
  /** Pictures that are made when they are asked for: rates, and how many waited at the end. */
  pictures: { made: number; kept: number; refused: number; waiting: number };
}

interface Series {
  seconds: number;
  samples: Sample[];
}

/** What `quire status --json` prints of a running server. */
interface SiteStatus {
  /** The node that answers, where the site has several. */
  node?: string;
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
  /** Of commits; null where site.json names no backup.stream. */
  stream: { sentTo: string | null; queued: number; mayQueue: number; behind: number; problem: string; gap: string; ended: boolean } | null;
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
  const { requests, pictures } = lines();
  return (
    <>
      <SectionPart title={t("status.title")} text={textOf(status)}>
        <Figures of={status} />
      </SectionPart>
      <SectionPart title={t("series.title")} text={t("series.text")}>
        <Charts of={series} lines={requests} table={t("series.table")} />
      </SectionPart>
      <SectionPart title={t("series.pictures")} text={t("series.pictures-text")}>
        <Charts of={series} lines={pictures} table={t("series.pictures-table")} />
      </SectionPart>
      <SectionPart title={t("entries.title")}>
        <Entries of={status.content.entries} />
      </SectionPart>
    </>
  );
}

/** Says what the figures are of. */
function textOf({ node }: SiteStatus) {
  return node ? `${t("status.node", { node })} ${t("status.text")}` : t("status.text");
}

function Figures({ of: { server, content, uploads, backup, stream, releases } }: { of: SiteStatus }) {
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
      {stream && <StreamFigure of={stream} />}
      <Figure name={t("figure.releases")} bad={releases.failed > 0} more={t("figure.releases-more", { failed: releases.failed })}>
        {formatNumber(releases.scheduled)}
      </Figure>
    </dl>
  );
}

/** How far the stream of commits is, and why it is not further. */
function StreamFigure({ of: { sentTo, queued, mayQueue, behind, problem, gap, ended } }: { of: NonNullable<SiteStatus["stream"]> }) {
  const why = gap || problem;
  const waits = queued > 0 ? t("figure.stream-waits", { queued: formatBytes(queued), most: formatBytes(mayQueue), time: formatSeconds(behind) }) : "";
  return (
    <Figure name={t("figure.stream")} bad={Boolean(why) || behind > 60} more={[waits, ended ? t("figure.stream-ended") : "", why].filter(Boolean).join("; ") || undefined}>
      {sentTo ? <time dateTime={sentTo}>{formatDateTime(sentTo)}</time> : t("figure.none")}
    </Figure>
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

/** A line of the charts: its name, what it shows of a sample, and a figure in words. */
interface Line {
  title: string;
  of: (one: Sample) => number;
  say: (figure: number) => string;
}

function lines(): { requests: Line[]; pictures: Line[] } {
  const rate = (figure: number) => t("series.rate", { n: round(figure) });
  const count = (figure: number) => formatNumber(figure);
  return {
    requests: [
      { title: t("series.requests"), of: (one) => one.requests, say: rate },
      { title: t("series.failed"), of: (one) => one.failed, say: rate },
      { title: t("series.p50"), of: (one) => one.p50Seconds, say: formatSeconds },
      { title: t("series.p99"), of: (one) => one.p99Seconds, say: formatSeconds },
      { title: t("series.writes"), of: (one) => one.writes, say: rate },
      { title: t("series.memory"), of: (one) => one.memory, say: formatBytes },
    ],
    pictures: [
      { title: t("series.made"), of: (one) => one.pictures.made, say: rate },
      { title: t("series.kept"), of: (one) => one.pictures.kept, say: rate },
      { title: t("series.turned-away"), of: (one) => one.pictures.refused, say: rate },
      { title: t("series.waiting"), of: (one) => one.pictures.waiting, say: count },
    ],
  };
}

/** Charts of some lines, and what they show in a table. */
function Charts({ of: { seconds, samples }, lines: shown, table }: { of: Series; lines: Line[]; table: string }) {
  if (samples.length < 2) return <p class="quiet-text">{t("series.none", { n: seconds * 2 })}</p>;
  return (
    <>
      <div class="charts">
        {shown.map(({ title, of, say }) => {
          const figures = samples.map(of);
          return <Chart key={title} title={title} figures={figures} say={say} caption={t("series.highest", { figure: say(Math.max(...figures)) })} />;
        })}
      </div>
      <SeriesTable samples={samples} lines={shown} title={table} step={Math.max(1, Math.round(60 / seconds))} />
    </>
  );
}

/** What the charts show, a row for each minute. */
function SeriesTable({ samples, lines: shown, title, step }: { samples: Sample[]; lines: Line[]; title: string; step: number }) {
  const rows = samples.filter((_, i) => (samples.length - 1 - i) % step === 0).reverse();
  return (
    <details class="fold">
      <summary>{title}</summary>
      <table class="section-table">
        <thead>
          <tr>
            <th scope="col">{t("series.time")}</th>
            {shown.map((line) => (
              <th key={line.title} scope="col">
                {line.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.at}>
              <th scope="row">{formatDateTime(one.at)}</th>
              {shown.map(({ title: name, of, say }) => (
                <td key={name} data-label={name}>
                  {say(of(one))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Entries({ of: entries }: { of: SiteStatus["content"]["entries"] }) {
  if (entries.length === 0) return <p class="quiet-text">{t("entries.none")}</p>;
  return (
    <SectionTable shownOnly columns={[t("entries.type"), t("entries.published"), t("entries.draft")]}>
      {entries.map((one) => (
        <tr key={one.type}>
          <th scope="row">{typeOf(one.type)?.displayName ?? one.type}</th>
          <td data-label={t("entries.published")}>{formatNumber(one.published)}</td>
          <td data-label={t("entries.draft")}>{formatNumber(one.draft)}</td>
        </tr>
      ))}
    </SectionTable>
  );
}
