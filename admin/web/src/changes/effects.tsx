// What changes would do, entry by entry: what each has and would have.

import { useEffect, useState } from "preact/hooks";
import { Link } from "../core/router";
import { documentPath, schema, typeOf } from "../core/schema";
import { t as shared } from "../core/i18n";
import { Changes } from "../editor/history/changes";
import { readTargets, type Fields, type Target } from "../editor/history/versions";
import { StatusBadge } from "../ui/status";
import { t } from "./words";

export interface Effect {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: "draft" | "published";
  readonly title: string;
  readonly action: "create" | "update" | "delete";
  readonly before: Fields;
  readonly after: Fields;
}

export function Effects({ of }: { of: readonly Effect[] }) {
  if (of.length === 0) return <p class="quiet-text">{t("nothing")}</p>;
  return (
    <ol class="change-set-effects">
      {of.map((one) => (
        <li key={`${one.type} ${one.documentId} ${one.locale} ${one.status}`}>
          <EffectOn one={one} />
        </li>
      ))}
    </ol>
  );
}

const none: ReadonlyMap<string, Target> = new Map();

function EffectOn({ one }: { one: Effect }) {
  const [targets, setTargets] = useState(none);
  const type = typeOf(one.type);
  useEffect(() => {
    if (!type) return;
    const past = { type, documentId: one.documentId, locale: one.locale };
    void readTargets(past, [one.before, one.after].map((fields) => ({ fields, gone: [] }))).then(setTargets);
  }, []);
  const title = one.title || shared("list.untitled");
  const where = [type?.displayName ?? one.type, (schema.value?.locales.length ?? 0) > 1 ? one.locale : null].filter(Boolean).join(" · ");
  return (
    <article class="change-set-effect" data-action={one.action}>
      <header>
        <h2 dir="auto">{one.action === "create" ? title : <Link to={documentPath(one.type, one.documentId, one.locale)}>{title}</Link>}</h2>
        <span class="quiet-text">{where}</span>
        {type?.draftAndPublish && <StatusBadge status={one.status} />}
        <span class="change-word">{t(`effect-${one.action}`)}</span>
      </header>
      {type && one.action !== "delete" && <Changes type={type} before={one.before} after={one.after} targets={targets} all={false} />}
    </article>
  );
}
