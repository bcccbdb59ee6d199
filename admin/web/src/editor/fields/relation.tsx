// Relations: a list of links, and a box to find and to make what is linked.

import { useState } from "preact/hooks";
import { content } from "../../core/api";
import { formatLocale, t } from "../../core/i18n";
import { type ContentType, may, schema, typeOf } from "../../core/schema";
import { Combobox } from "../../ui/combobox";
import { moved } from "../../ui/moved";
import { Select } from "../../ui/inputs";
import { StatusBadge } from "../../ui/status";
import { toastUndo } from "../../ui/toasts";
import { type FieldProps, useSheet } from "../context";
import { isMany, isMorph, type Link, linkName, linksOf } from "../form/shape";
import { titleOf } from "../link-title";
import { Frame, useLock } from "./frame";
import { LinkList } from "./link-list";
import { type Stated, stateOf } from "./states";

const found = 20; // documents that the box shows at most

export function RelationField(props: FieldProps) {
  const { path, attribute, form } = props;
  const links = linksOf(form.value(path).value);
  const [kind, setKind] = useState(attribute.target ?? "");
  const target = typeOf(isMorph(attribute) ? kind : (attribute.target ?? ""));
  const locked = useLock(attribute) || (!target && !isMorph(attribute));
  const many = isMany(attribute);
  const sheet = useSheet();
  const { loaded, locale } = sheet.editing;
  const more = path.length === 1 ? (loaded.value?.counts[attribute.name] ?? 0) - linksOf(form.known()[attribute.name]).length : 0;

  const change = (next: readonly Link[]) => form.set(path, next);
  const add = (link: Link) => {
    if (!links.some((l) => linkName(l) === linkName(link))) change(many ? [...links, link] : [link]);
  };
  const remove = (link: Link) => {
    const before = links;
    change(links.filter((l) => l !== link));
    toastUndo(t("link.removed", { name: titleOf(link) }), () => change(before));
  };
  const move = (from: number, to: number) => change(moved(links, from, to));
  const saved = (link: Link) => {
    const form = sheet.editing.form.peek(); // another one, if the form was made anew meanwhile
    const now = linksOf(form.value(path).peek());
    const at = now.findIndex((l) => l.documentId === link.documentId);
    form.set(path, at >= 0 ? now.with(at, { ...now[at], ...link }) : many ? [...now, link] : [link]);
  };
  const open = (type: ContentType, of: { link?: Link; title?: string }) =>
    (sheet.opened.value = { type, documentId: of.link?.documentId ?? null, title: of.title, onSaved: (link) => saved(isMorph(attribute) ? { ...link, type: type.uid } : link) });
  const show = (link: Link) => {
    const type = typeOf(link.type ?? attribute.target ?? "");
    if (type) open(type, { link });
  };
  return (
    <Frame {...props} help={more > 0 ? t("link.more", { n: more }) : links.length > 5 ? t("link.count", { n: links.length }) : undefined}>
      {(wired) => (
        <div class="relation">
          <LinkList label={attribute.label} links={links} target={attribute.target} locale={target?.localized ? locale : null} locked={locked} sortable={many} onMove={move} onRemove={remove} onOpen={show} />
          {isMorph(attribute) && !locked && <KindSelect kind={kind} choose={setKind} label={t("link.kind", { name: attribute.label })} />}
          {target && !locked && (
            <Finder wired={wired} target={target} links={links} one={!many && links.length > 0} morph={isMorph(attribute)} onChoose={add} onCreate={(title) => open(target, { title })} />
          )}
          {!target && attribute.target && <p class="field-help">{t("link.hidden")}</p>}
        </div>
      )}
    </Frame>
  );
}

function KindSelect({ kind, choose, label }: { kind: string; choose: (uid: string) => void; label: string }) {
  const types = schema.value?.types ?? [];
  return <Select aria-label={label} value={kind} onInput={choose} options={[{ value: "", label: t("link.choose-kind") }, ...types.map((type) => ({ value: type.uid, label: type.displayName }))]} />;
}

interface FinderProps {
  wired: { id: string; "aria-describedby"?: string };
  target: ContentType;
  links: readonly Link[];
  /** There is one already: choosing takes its place. */
  one: boolean;
  morph: boolean;
  onChoose: (link: Link) => void;
  onCreate: (title: string) => void;
}

function Finder({ wired, target, links, one, morph, onChoose, onCreate }: FinderProps) {
  const { locale } = useSheet().editing;
  const linked = new Set(links.map((l) => l.documentId));
  const search = async (text: string, signal: AbortSignal) => (await findDocuments(target, text, locale, signal)).filter((l) => !linked.has(l.documentId));
  return (
    <Combobox
      id={wired.id}
      {...(wired["aria-describedby"] && { describedBy: wired["aria-describedby"] })}
      placeholder={one ? t("link.replace", { type: target.displayName }) : t("link.find", { type: target.displayName })}
      search={search}
      keyOf={linkName}
      onChoose={(link) => onChoose(morph ? { ...link, type: target.uid } : link)}
      show={(link) => (
        <>
          <span class="menu-label truncate">{titleOf(link)}</span>
          {link.locale && link.locale !== locale && <span class="quiet-text">{formatLocale(link.locale)}</span>}
          {link.status && <StatusBadge status={link.status} shapeOnly />}
        </>
      )}
      extra={(text) =>
        may(target, "create") && target.kind === "collectionType"
          ? { label: text === "" ? t("link.create", { type: target.displayName }) : t("link.create-named", { type: target.displayName, title: text }), onSelect: () => onCreate(text) }
          : null
      }
    />
  );
}

/** Documents of a type that fit a text, the best first; without a text those that were changed last. */
export async function findDocuments(type: ContentType, text: string, locale: string | null, signal?: AbortSignal): Promise<Link[]> {
  const { data } = await content<Stated[]>("GET", `/${type.route}`, {
    query: {
      ...(type.draftAndPublish && { status: "draft", include: "state" }),
      ...(type.localized && locale && { locale, fallbackLocale: otherLocales(locale) }),
      fields: [type.mainField],
      ...(text.trim() === "" ? { sort: "updatedAt:desc" } : { _q: text.trim(), sort: "_rank" }),
      pagination: { pageSize: found, withCount: false },
    },
    ...(signal && { signal }),
  });
  return data.map((entry) => {
    const status = stateOf(type, entry, (entry["locale"] as string | null | undefined) ?? null);
    const title = entry[type.mainField];
    return { documentId: entry.documentId, ...(typeof title === "string" && { title }), ...(status && { status }) };
  });
}

const otherLocales = (locale: string): string => (schema.value?.locales ?? []).map((l) => l.code).filter((code) => code !== locale).join(",");
