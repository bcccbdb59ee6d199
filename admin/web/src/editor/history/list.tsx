// The list of versions: when, what was done, and by whom.

import { useRef } from "preact/hooks";
import { formatAgo, formatDate, formatDateTime, t, type Key } from "../../core/i18n";
import { account } from "../../core/session";
import { StatusBadge } from "../../ui/status";
import type { Actor, Version } from "./versions";

/** Tells a version from all others of its document. */
export const nameOfVersion = (version: Version): string => `${version.revision}-${version.status}`;

interface VersionListProps {
  versions: readonly Version[];
  chosen: Version;
  drafts: boolean;
  onChoose: (version: Version) => void;
}

export function VersionList({ versions, chosen, drafts, onChoose }: VersionListProps) {
  const list = useRef<HTMLOListElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = versions.indexOf(chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: versions.length - 1 }[event.key];
    const next = to === undefined ? undefined : versions[to];
    if (to === undefined) return;
    event.preventDefault();
    if (!next) return;
    onChoose(next);
    list.current?.querySelectorAll("button")[to]?.focus();
  };
  return (
    <ol ref={list} onKeyDown={onKeyDown}>
      {versions.map((version, i) => (
        <li key={nameOfVersion(version)}>
          {formatDate(version.at) !== formatDate(versions[i - 1]?.at ?? "1970-01-01") && (
            <p class="history-day">{formatDate(version.at)}</p>
          )}
          <button
            type="button"
            class="history-version"
            aria-current={version === chosen ? "true" : undefined}
            tabIndex={version === chosen ? 0 : -1}
            onClick={() => onChoose(version)}
          >
            <span class="history-when">
              <time dateTime={version.at} data-tip={formatDateTime(version.at)}>
                {formatAgo(version.at)}
              </time>
              {drafts && <StatusBadge status={version.status} />}
            </span>
            <span class="history-who">
              {t(actionKey(version.action))} · {nameOfActor(version.actor)}
              {version.actor?.model && <span class="history-model"> · {t("history.with-model", { model: version.actor.model })}</span>}
            </span>
            {version.current && <span class="history-now">{t("history.current")}</span>}
            {version.removed && (
              <span class="history-now">{t("history.removed", { who: nameOfActor(version.removed.actor) })}</span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
}

const actions = {
  create: "history.create",
  update: "history.update",
  publish: "history.publish",
  unpublish: "history.unpublish",
  "discard-draft": "history.discard",
  duplicate: "history.duplicate",
  restore: "history.restore-done",
  delete: "history.delete",
  import: "history.import",
  link: "history.link",
  migrate: "history.migrate",
} as const satisfies Readonly<Record<string, Key>>;

function actionKey(action: string | null): Key {
  return actions[action as keyof typeof actions] ?? "history.update";
}

export function nameOfActor(actor: Actor | null): string {
  if (!actor) return t("history.nobody");
  if (actor.kind === "admin" && actor.id === account.value?.id) return t("history.you");
  const named = actor.kind === "admin" || actor.kind === "assistant" || actor.kind === "user";
  return (named && actor.name) || t(`history.${actor.kind}`);
}
