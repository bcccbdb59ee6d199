// The documents that link to the one that is edited, and those that it links to.

import { useEffect, useMemo, useState } from "preact/hooks";
import { formatLocale, t } from "../core/i18n";
import { Link } from "../core/router";
import { documentPath, typeOf } from "../core/schema";
import { useSheet } from "./context";
import { referrers, type Referrer } from "./document";
import { fromEntry, Keys, targetsIn } from "./form/entry";
import { entryOf, shapeOf } from "./opening";

const mostShown = 25;
const mostLoaded = 1000; // links of a relation

/** The documents that link to this one. */
export function LinkedFrom() {
  const { editing } = useSheet();
  const [found, setFound] = useState<{ list: readonly Referrer[]; total: number } | null>(null);
  const version = editing.loaded.value?.version;
  useEffect(() => {
    let left = false;
    referrers(editing.place).then(
      (answer) => !left && setFound(answer),
      () => undefined, // the side goes without
    );
    return () => void (left = true);
  }, [version]);
  if (!found || found.total === 0) return null;
  const list = [...new Map(found.list.map((r) => [`${r.type} ${r.documentId} ${r.locale ?? ""}`, r])).entries()];
  const more = found.total - found.list.length;
  return (
    <section class="side-section" aria-labelledby="side-links">
      <h2 id="side-links">{t("side.linked-from", { n: list.length + more })}</h2>
      <ul class="side-list">
        {list.map(([key, r]) => (
          <Line key={key} {...r} />
        ))}
      </ul>
      {more > 0 && <p class="quiet-text">{t("side.more", { n: more })}</p>}
    </section>
  );
}

/** The documents that this one links to, as it is saved. */
export function LinksFrom() {
  const { editing } = useSheet();
  const { type } = editing;
  const loaded = editing.loaded.value;
  const targets = useMemo(() => {
    const [entry, shape] = [entryOf(loaded), shapeOf(type)];
    const all = entry ? targetsIn(shape, type.attributes, fromEntry(shape, type.attributes, entry, new Keys())) : [];
    return all.filter((target) => typeOf(target.type));
  }, [loaded, type]);
  if (targets.length === 0) return null;
  const unseen = Object.values(loaded?.counts ?? {}).reduce((sum, n) => sum + n - mostLoaded, 0);
  const total = targets.length + unseen;
  return (
    <section class="side-section" aria-labelledby="side-targets">
      <details class="side-fold">
        <summary>
          <h2 id="side-targets">{t("side.links-from", { n: total })}</h2>
        </summary>
        <ul class="side-list">
          {targets.slice(0, mostShown).map((target) => (
            <Line key={`${target.type} ${target.documentId}`} {...target} locale={target.locale ?? (typeOf(target.type)?.localized ? editing.locale : null)} />
          ))}
        </ul>
        {total > mostShown && <p class="quiet-text">{t("side.more", { n: total - mostShown })}</p>}
      </details>
    </section>
  );
}

interface LineProps {
  type: string;
  documentId: string;
  locale?: string | null;
  title?: string;
}

function Line({ type, documentId, locale, title }: LineProps) {
  const { editing } = useSheet();
  return (
    <li>
      <Link class="truncate" to={documentPath(type, documentId, locale ?? null)}>
        {title || t("editor.untitled")}
      </Link>
      <span class="quiet-text truncate">
        {typeOf(type)?.displayName}
        {locale && locale !== editing.locale && ` · ${formatLocale(locale)}`}
      </span>
    </li>
  );
}
