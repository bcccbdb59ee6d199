// The page on which the form and the list of a type, or the form of a component, are
// arranged for everybody.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { t as common } from "../core/i18n";
import { guard, Link, segment, useTitle } from "../core/router";
import { componentOf, loadSchema, schema, typeOf, typePath, type Attribute, type Component, type ContentType } from "../core/schema";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { toast, toastError } from "../ui/toasts";
import { FormLines } from "./form-lines";
import { ListPart } from "./list-part";
import { linesOf, tabsOf, type Arrangement, type Draft } from "./model";
import { t } from "./words";

interface Stored {
  version: string;
  arrangement: Arrangement;
  lost: string[];
}

export default function ArrangePage({ uid }: { uid: string }) {
  const of: ContentType | Component | undefined = typeOf(uid) ?? componentOf(uid);
  const [stored, setStored] = useState<Stored | null>(null);
  useTitle(t("title", { type: of?.displayName ?? "" }));
  useEffect(() => {
    setStored(null);
    request<Stored>("GET", `/arrangements/${segment(uid)}`).then(({ data }) => setStored(data), toastError);
  }, [uid]);
  if (!of || !stored) return null;
  return <ArrangeForm key={`${uid} ${stored.version}`} of={of} stored={stored} onStored={setStored} />;
}

interface ArrangeFormProps {
  of: ContentType | Component;
  stored: Stored;
  onStored: (stored: Stored) => void;
}

function ArrangeForm({ of, stored, onStored }: ArrangeFormProps) {
  const type = "layout" in of && "kind" in of ? of : null;
  const { arrangement } = stored;
  const [first] = useState<Draft>(() => ({
    title: arrangement.title ?? "",
    columns: arrangement.columns ?? [],
    lines: linesOf(arrangement, of.layout.edit),
    hidden: arrangement.hidden ?? [],
    words: arrangement.attributes ?? {},
  }));
  const [draft, setDraft] = useState(first);
  const [busy, setBusy] = useState(false);
  const changed = draft !== first;
  const change = (some: Partial<Draft>) => setDraft({ ...draft, ...some });
  useEffect(() => guard(() => !changed || busy || confirm({ title: t("leave-title"), body: t("leave-text"), action: t("leave"), danger: true })), [changed, busy]);
  const save = async (wanted: Arrangement) => {
    setBusy(true);
    try {
      const { data } = await request<Stored>("PUT", `/arrangements/${segment(of.uid)}`, { body: { version: stored.version, arrangement: wanted } });
      await loadSchema();
      toast({ kind: "done", text: t("saved") });
      onStored(data);
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  const reset = async () => {
    if (await confirm({ title: t("reset-title", { type: of.displayName }), body: t("reset-text"), action: t("reset") })) await save({});
  };
  return (
    <div class="page section-page arrange">
      <header class="section-head arrange-head">
        <h1>{t("title", { type: of.displayName })}</h1>
        <div class="section-actions">
          {stored.version !== "" && (
            <Button variant="quiet" onClick={() => void reset()}>
              {t("reset")}
            </Button>
          )}
          <Button variant="primary" busy={busy} aria-disabled={!changed || undefined} onClick={() => changed && void save(arrangementOf(draft, first, arrangement))}>
            {common("save")}
          </Button>
        </div>
      </header>
      <p class="quiet-text">
        {t("text")} {type && <Link to={typePath(type)}>{t("back", { type: of.displayName })}</Link>}
      </p>
      {stored.lost.length > 0 && (
        <p class="notice">
          <Icon name="warning" />
          <span>{t("lost", { names: stored.lost.join(", ") })}</span>
        </p>
      )}
      <FormLines attributes={of.attributes} tabs={type !== null} draft={draft} onChange={change} />
      {type?.kind === "collectionType" && <ListPart type={type} draft={draft} onChange={change} />}
      <Inside attributes={of.attributes} />
    </div>
  );
}

/** What is stored: a form that nobody has touched stays the usual one. */
function arrangementOf(draft: Draft, first: Draft, before: Arrangement): Arrangement {
  const same = draft.lines === first.lines && draft.hidden === first.hidden && !before.tabs;
  return {
    ...(draft.title && { title: draft.title }),
    ...(draft.columns.length > 0 && { columns: [...draft.columns] }),
    ...(!same && { tabs: tabsOf(draft.lines) }),
    ...(draft.hidden.length > 0 && { hidden: [...draft.hidden] }),
    ...(Object.keys(draft.words).length > 0 && { attributes: { ...draft.words } }),
  };
}

/** Links to the components of a form, which are arranged by themselves. */
function Inside({ attributes }: { attributes: readonly Attribute[] }) {
  const uids = new Set(attributes.flatMap(({ component, components }) => [...(component ? [component] : []), ...(components ?? [])]));
  const inside = schema.value?.components.filter(({ uid }) => uids.has(uid)) ?? [];
  if (inside.length === 0) return null;
  return (
    <SectionPart title={t("inside")} text={t("inside-text")}>
      <ul class="arrange-inside">
        {inside.map(({ uid, displayName }) => (
          <li key={uid}>
            <Link to={`/arrange/${segment(uid)}`}>{displayName}</Link>
          </li>
        ))}
      </ul>
    </SectionPart>
  );
}
