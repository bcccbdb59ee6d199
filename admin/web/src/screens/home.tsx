// The first screen: what the user was doing, what has changed, and what is to come.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDate, formatDateTime, t } from "../core/i18n";
import { Link, useTitle } from "../core/router";
import { documentPath, schema, typeOf, typePath, type Item } from "../core/schema";
import { account, forgetWithAccount, maySite, online } from "../core/session";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Icon } from "../ui/icon";
import { lazy } from "../ui/lazy";
import { StatusBadge } from "../ui/status";
import type { ArrangeProps } from "../home/arrange";
import type { HomePart } from "../home/part";

const { Lazy: Figure } = lazy(() => import("../home/page"), true);
const { Lazy: Arrange } = lazy<ArrangeProps>(async () => ({ default: (await import("../home/page")).Arrange }), true);

interface Scheduled extends Item {
  id: string;
  action: "publish" | "unpublish";
  at: string;
}

interface Overview {
  parts: HomePart[];
  /** The account has arranged the parts itself. */
  own: boolean;
  drafts: Item[];
  recent: Item[];
  scheduled: Scheduled[];
  /** Documents that have changed since the account wrote something in them that is not saved. */
  conflicts: Item[];
  /** Changes that wait for somebody to approve them. */
  reviews: Review[];
  waiting: { id: string; title: string; createdAt: string; by: { name?: string } | null }[];
}

/** A document that the account has to look at, or in whose comments it is mentioned. */
interface Review extends Item {
  stage: string | null;
  due: string | null;
  mentioned: boolean;
}

/** What the screen showed last, so that coming back shows it at once. */
const overview = signal<Overview | null>(null);
const failure = signal<unknown>(null);
forgetWithAccount(() => (overview.value = null));

async function load(): Promise<void> {
  try {
    overview.value = (await request<Overview>("GET", "/home")).data;
    failure.value = null;
  } catch (error) {
    failure.value = error;
  }
}

export function Home() {
  const [arranging, arrange] = useState(false);
  useTitle(t("home.title"));
  useEffect(() => {
    void load();
    const back = () => document.hidden || void load();
    document.addEventListener("visibilitychange", back);
    return () => document.removeEventListener("visibilitychange", back);
  }, []);
  const reached = online.value;
  useEffect(() => {
    if (reached && failure.peek() !== null) void load(); // it could not be loaded before
  }, [reached]);
  return (
    <div class="page home">
      <header class="arrange-head">
        <h1>{t("home.welcome", { name: account.value?.name ?? "" })}</h1>
        {overview.value && (
          <div class="section-actions">
            <Link class="button quiet" to="/changes/past">
              {t("home.past")}
            </Link>
            <Button variant="quiet" onClick={() => arrange(true)}>
              {t("home.arrange")}
            </Button>
          </div>
        )}
      </header>
      <Panels />
      {arranging && overview.value && <Arrange {...overview.value} onClose={() => arrange(false)} onStored={() => void load()} />}
    </div>
  );
}

function Panels() {
  const shown = overview.value;
  if (!shown && failure.value) {
    return (
      <Empty icon="warning" title={t("home.failed")} action={<Button onClick={() => void load()}>{t("retry")}</Button>}>
        {failure.value instanceof Error ? failure.value.message : String(failure.value)}
      </Empty>
    );
  }
  if (!shown) return null;
  const { parts, drafts, recent, conflicts, waiting } = shown;
  const isNew = recent.length === 0 && drafts.length === 0;
  return (
    <>
      {isNew && <FirstSteps />}
      {conflicts.length > 0 && (
        <Panel title={t("home.conflicts")} of={conflicts}>
          {(item) => <Line item={item} icon="edit" detail={t("home.conflict", { when: formatAgo(item.updatedAt) })} at={item.updatedAt} />}
        </Panel>
      )}
      {waiting.length > 0 && (
        <Panel title={t("home.waiting")} of={waiting}>
          {(set) => (
            <li class="home-line" key={set.id}>
              <span class="home-mark">
                <Icon name="people" size={14} />
              </span>
              <Link class="home-title truncate" to={`/changes/${set.id}`}>
                {set.title || t("list.untitled")}
              </Link>
              <span class="quiet-text truncate">{set.by?.name}</span>
              <time class="quiet-text home-when truncate" dateTime={set.createdAt}>
                {formatAgo(set.createdAt)}
              </time>
            </li>
          )}
        </Panel>
      )}
      <div class="home-columns">
        {parts.map((part, i) => (
          <div key={`${part.kind} ${i}`} class={part.wide ? "wide" : undefined}>
            <Part part={part} shown={shown} isNew={isNew} />
          </div>
        ))}
      </div>
    </>
  );
}

/** One part of the screen. Lists that have nothing to show are left out where there is nothing to say either. */
function Part({ part, shown, isNew }: { part: HomePart; shown: Overview; isNew: boolean }) {
  const { drafts, recent, scheduled, reviews } = shown;
  switch (part.kind) {
    case "drafts":
      return isNew ? null : (
        <Panel title={t("home.drafts")} of={drafts} none={t("home.drafts-none")}>
          {(item) => <Line item={item} detail={formatAgo(item.updatedAt)} at={item.updatedAt} />}
        </Panel>
      );
    case "recent":
      return isNew ? null : (
        <Panel title={t("home.recent")} of={recent} none={t("home.recent-none")}>
          {(item) => <Line item={item} detail={whoAndWhen(item)} at={item.updatedAt} />}
        </Panel>
      );
    case "reviews":
      return reviews.length === 0 ? null : (
        <Panel title={t("home.reviews")} of={reviews}>
          {(item) => <Line item={item} detail={reviewDetail(item)} at={item.updatedAt} />}
        </Panel>
      );
    case "scheduled":
      return scheduled.length === 0 ? null : (
        <Panel title={t("home.scheduled")} of={scheduled}>
          {(item) => <Line item={item} icon="clock" detail={t(`home.scheduled-${item.action}`, { when: formatDateTime(item.at) })} at={item.at} />}
        </Panel>
      );
    case "note":
      return (
        <section class="home-panel">
          {part.title && <h2>{part.title}</h2>}
          <p class="home-note" dir="auto">
            {part.text}
          </p>
        </section>
      );
    default:
      return <Figure part={part} fresh={shown} />;
  }
}

function reviewDetail({ stage, due, mentioned, updatedAt }: Review): string {
  const parts = [stage, mentioned && t("home.mentioned"), due && t("home.due", { when: formatDate(`${due}T12:00`) })].filter(Boolean);
  return parts.join(" · ") || formatAgo(updatedAt);
}

function whoAndWhen({ updatedAt, updatedBy }: Item): string {
  const when = formatAgo(updatedAt);
  return updatedBy?.name ? t("home.by", { when, name: updatedBy.name }) : when;
}

function Panel<T>({ title, of, none, children }: { title: string; of: readonly T[]; none?: string; children: (item: T) => ComponentChildren }) {
  return (
    <section class="home-panel">
      <h2>{title}</h2>
      {of.length > 0 ? <ul>{of.map(children)}</ul> : <p class="quiet-text">{none}</p>}
    </section>
  );
}

interface LineItem {
  uid: string;
  documentId: string;
  locale: string | null;
  title: string;
  status?: Item["status"];
}

/** A line is a link all over, which is named by the document alone. */
function Line({ item, icon, detail, at }: { item: LineItem; icon?: "clock" | "edit"; detail: string; at: string }) {
  const type = typeOf(item.uid);
  const about = useId();
  const where = [type?.displayName ?? item.uid, severalLocales() ? item.locale : null].filter(Boolean).join(" · ");
  return (
    <li class="home-line" key={`${item.uid} ${item.documentId} ${item.locale}`}>
      <span class="home-mark">{icon ? <Icon name={icon} size={14} /> : item.status && <StatusBadge status={item.status} shapeOnly />}</span>
      <Link
        class="home-title truncate"
        dir="auto"
        to={documentPath(item.uid, item.documentId, item.locale)}
        aria-describedby={about}
        data-tip={formatDateTime(at)}
      >
        {item.title || t("list.untitled")}
      </Link>
      <span class="quiet-text truncate" id={about}>
        {where}
      </span>
      <time class="quiet-text home-when truncate" dateTime={at}>
        {detail}
      </time>
    </li>
  );
}

function severalLocales(): boolean {
  return (schema.value?.locales.length ?? 0) > 1;
}

/** What is to be done on a site without content: type, entry, token, front end. */
function FirstSteps() {
  const types = schema.value?.types ?? [];
  const first = types.find((type) => type.kind === "collectionType" && type.may.includes("create"));
  const steps = [
    { title: t("home.step-type"), text: t("home.step-type-text"), done: types.length > 0, shown: types.length > 0 || maySite("schemas") },
    { title: t("home.step-entry"), text: t("home.step-entry-text"), done: false, shown: true },
    { title: t("home.step-token"), text: t("home.step-token-text"), done: false, shown: maySite("settings"), mono: true },
    {
      title: t("home.step-front"),
      text: t("home.step-front-text", { url: `${location.origin}/api/${first?.route ?? "articles"}` }),
      done: false,
      shown: maySite("settings"),
    },
  ].filter((step) => step.shown);
  return (
    <section class="home-steps" aria-label={t("home.start")}>
      <h2>{t("home.start")}</h2>
      <ol>
        {steps.map((step, i) => (
          <li key={step.title} class={step.done ? "done" : undefined}>
            <span class="home-step">{step.done ? <Icon name="check" size={14} /> : i + 1}</span>
            <div>
              <h3>
                {step.title}
                {step.done && <span class="visually-hidden"> ({t("home.done")})</span>}
              </h3>
              <p class={step.mono ? "mono" : undefined}>{step.text}</p>
            </div>
          </li>
        ))}
      </ol>
      {first && (
        <Link class="button primary" to={typePath(first)}>
          {t("home.open-type", { type: first.displayName })}
        </Link>
      )}
    </section>
  );
}
