// What is to come and what was done, day by day: releases, and documents with a time of their own.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { content } from "../core/api";
import { language, t as common } from "../core/i18n";
import { Link, place } from "../core/router";
import { documentPath } from "../core/schema";
import { Icon } from "../ui/icon";
import { toastError } from "../ui/toasts";
import { dayOf, monthOf, monthsFrom, weeksOf, type Month } from "./days";
import { listReleases, readSubjects, subjectKey, type State, type StepAction } from "./release";
import { t } from "./words";

interface Planned {
  readonly type: string;
  readonly id: string;
  readonly documentId?: string;
  readonly action: StepAction;
  readonly locales?: readonly string[];
  readonly at: string;
  readonly state: State;
}

/** One line of a day. */
interface Happening {
  readonly id: string;
  readonly at: string;
  readonly state: State;
  readonly title: string;
  readonly to: string;
}

export function Calendar() {
  const all = useSignal<readonly Happening[] | null>(null);
  useEffect(() => {
    Promise.all([releases(), schedules()]).then(([of, others]) => (all.value = [...of, ...others].sort((a, b) => a.at.localeCompare(b.at))), toastError);
  }, []);
  const month = monthOf(place.value.query.get("month")) ?? monthOf(dayOf(new Date()).slice(0, 7))!;
  const days = new Map<string, Happening[]>();
  for (const one of all.value ?? []) {
    const day = dayOf(new Date(one.at));
    days.set(day, [...(days.get(day) ?? []), one]);
  }
  return (
    <section class="section-part" aria-busy={all.value === null}>
      <Months shown={month} />
      <Days month={month} days={days} />
      {all.value && ![...days.keys()].some((day) => day.startsWith(month.name)) && <p class="quiet-text">{t("no-day")}</p>}
    </section>
  );
}

async function releases(): Promise<Happening[]> {
  const all = await listReleases();
  return all.flatMap(({ id, name, state, at, doneAt }) => {
    const when = doneAt ?? at;
    return when ? [{ id, at: when, state, title: name, to: `/releases/${id}` }] : [];
  });
}

const mostSchedules = 100;

/** The next documents with a time of their own, and the last that were done. */
async function schedules(): Promise<Happening[]> {
  const { data } = await content<Planned[]>("GET", "/_schedules", { query: { pagination: { pageSize: mostSchedules } } }).catch(() => ({ data: [] as Planned[] }));
  const subjects = await readSubjects(data);
  return data.map((one) => ({
    id: one.id,
    at: one.at,
    state: one.state,
    title: t(`document-${one.action}`, { title: subjects.get(subjectKey(one))?.title || common("list.untitled") }),
    to: documentPath(one.type, one.documentId ?? "", one.locales?.find((code) => code !== "*")),
  }));
}

function Months({ shown }: { shown: Month }) {
  const title = new Intl.DateTimeFormat(language.value, { month: "long", year: "numeric" }).format(shown.first);
  const link = (by: number, icon: "left" | "right", label: string) => (
    <Link class="icon-button" to={`/releases/calendar?month=${monthsFrom(shown, by).name}`} aria-label={label} data-tip={label} aria-current={false}>
      <Icon name={icon} />
    </Link>
  );
  return (
    <header class="calendar-head">
      <h2 aria-live="polite">{title}</h2>
      {link(-1, "left", t("month-before"))}
      {link(1, "right", t("month-after"))}
      <Link class="button secondary" to="/releases/calendar" aria-current={false}>
        {t("today")}
      </Link>
    </header>
  );
}

function Days({ month, days }: { month: Month; days: ReadonlyMap<string, readonly Happening[]> }) {
  const weeks = weeksOf(month, firstDayOf(language.value));
  const weekday = new Intl.DateTimeFormat(language.value, { weekday: "short" });
  const long = new Intl.DateTimeFormat(language.value, { weekday: "long", day: "numeric", month: "long" });
  const today = dayOf(new Date());
  return (
    <table class="calendar">
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th key={day.getDay()} scope="col">
              {weekday.format(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={dayOf(week[0]!)}>
            {week.map((day) => {
              const name = dayOf(day);
              const of = days.get(name) ?? [];
              const classes = [name.startsWith(month.name) ? "" : "outside", name === today ? "today" : "", of.length > 0 ? "filled" : ""].filter(Boolean).join(" ");
              return (
                <td key={name} class={classes || undefined}>
                  <time dateTime={name}>
                    <span aria-hidden="true" class="calendar-number">
                      {day.getDate()}
                    </span>
                    <span class="calendar-day">{long.format(day)}</span>
                  </time>
                  {of.length > 0 && (
                    <ul>
                      {of.map((one) => (
                        <HappeningLine key={one.id} of={one} />
                      ))}
                    </ul>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HappeningLine({ of: { at, state, title, to } }: { of: Happening }) {
  const time = new Intl.DateTimeFormat(language.value, { timeStyle: "short" }).format(new Date(at));
  return (
    <li>
      <Link class={`calendar-item ${state}`} to={to} dir="auto" data-tip={`${title}, ${t(`state-${state}`)}`}>
        <Icon name={state === "failed" ? "error" : state === "done" ? "check" : "clock"} size={12} />
        <span class="numeric">{time}</span> <span>{title}</span>
        <span class="visually-hidden">, {t(`state-${state}`)}</span>
      </Link>
    </li>
  );
}

/** The day that a week begins with, 0 for Sunday: Monday where the browser does not know. */
function firstDayOf(language: string): number {
  const locale = new Intl.Locale(navigator.languages.find((tag) => tag.startsWith(language)) ?? language) as Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } };
  return (locale.getWeekInfo?.() ?? locale.weekInfo ?? { firstDay: 1 }).firstDay % 7;
}
