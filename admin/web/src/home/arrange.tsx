// The drawer in which people arrange their first screen.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { t as common } from "../core/i18n";
import { segment } from "../core/router";
import { schema, typeOf } from "../core/schema";
import { toSearch } from "../screens/list/question";
import { Button, IconButton } from "../ui/button";
import { Drawer } from "../ui/dialog";
import { Field } from "../ui/field";
import { Checkbox, Select, TextArea, TextInput } from "../ui/inputs";
import { moved } from "../ui/moved";
import { Sortable } from "../ui/sortable";
import { toast, toastError } from "../ui/toasts";
import { questionOf, type View } from "../views/view";
import { groupings, type HomePart } from "./part";
import { t } from "./words";

const kinds = ["drafts", "recent", "reviews", "scheduled", "count", "chart", "note"] as const;
const most = 20;

interface Line {
  key: number;
  part: HomePart;
}

let lines = 0;
const lineOf = (part: HomePart): Line => ({ key: ++lines, part });

export interface ArrangeProps {
  parts: readonly HomePart[];
  /** The account has arranged them; without it they are those of its role. */
  own: boolean;
  onClose: () => void;
  /** Something has been stored. */
  onStored: () => void;
}

export function Arrange({ parts, own, onClose, onStored }: ArrangeProps) {
  const [draft, setDraft] = useState<readonly Line[]>(() => parts.map(lineOf));
  const [busy, setBusy] = useState(false);
  const store = async (method: "PUT" | "DELETE") => {
    setBusy(true);
    try {
      await request(method, "/home", method === "PUT" ? { body: { parts: draft.map(({ part }) => part) } } : {});
      toast({ kind: "done", text: t("stored") });
      onStored();
      onClose();
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  const add = (kind: HomePart["kind"]) => setDraft([...draft, lineOf(newPart(kind))]);
  const change = (key: number, some: Partial<HomePart>) => setDraft(draft.map((line) => (line.key === key ? { key, part: { ...line.part, ...some } } : line)));
  const move = (from: number, to: number) => setDraft(moved(draft, from, to));
  const whole = draft.every(({ part }) => isWhole(part));
  return (
    <Drawer
      open
      title={t("title")}
      onClose={onClose}
      footer={
        <>
          {own && (
            <Button variant="quiet" busy={busy} onClick={() => void store("DELETE")}>
              {t("usual")}
            </Button>
          )}
          <Button variant="primary" busy={busy} aria-disabled={!whole || undefined} onClick={() => whole && void store("PUT")}>
            {common("save")}
          </Button>
        </>
      }
    >
      <Sortable class="arrange-lines" label={t("parts")} items={draft} keyOf={({ key }) => String(key)} nameOf={({ part }) => nameOf(part)} onMove={move}>
        {({ key, part }, handle) => (
          <>
            <div class="arrange-line">
              {handle}
              <span class="arrange-name">{nameOf(part)}</span>
              <Checkbox checked={part.wide ?? false} onInput={(wide) => change(key, { wide })} aria-label={t("wide-of", { name: nameOf(part) })}>
                {t("wide")}
              </Checkbox>
              <IconButton icon="close" label={t("remove", { name: nameOf(part) })} onClick={() => setDraft(draft.filter((line) => line.key !== key))} />
            </div>
            {(part.kind === "note" || part.type !== undefined) && <Details part={part} onChange={(some) => change(key, some)} />}
          </>
        )}
      </Sortable>
      {draft.length < most && (
        <Select
          aria-label={t("add")}
          value=""
          onInput={(kind) => kind && add(kind as HomePart["kind"])}
          options={[
            { value: "", label: t("add") },
            ...kinds.filter((kind) => kind === "note" || kind === "count" || kind === "chart" || !draft.some(({ part }) => part.kind === kind)).map((kind) => ({ value: kind, label: kindName(kind) })),
          ]}
        />
      )}
    </Drawer>
  );
}

/** A part of a kind that has all it needs, if the site has it. */
function newPart(kind: HomePart["kind"]): HomePart {
  if (kind === "note") return { kind, text: "" };
  if (kind !== "count" && kind !== "chart") return { kind };
  const all = listed().filter((type) => kind === "count" || groupings(type, typeOf).length > 0);
  const type = all[0];
  return { kind, type: type?.uid ?? "", ...(kind === "chart" && { by: type ? groupings(type, typeOf)[0]?.value ?? "" : "" }) };
}

const listed = () => schema.value?.types.filter((type) => type.kind === "collectionType") ?? [];

function isWhole({ kind, text, type, by }: HomePart): boolean {
  if (kind === "note") return !!text?.trim();
  return (kind !== "count" && kind !== "chart") || (!!type && (kind === "count" || !!by));
}

/** What a kind of part is called: a list as its heading on the screen. */
function kindName(kind: HomePart["kind"]): string {
  return kind === "count" || kind === "chart" || kind === "note" ? t(`kind.${kind}`) : common(`home.${kind}`);
}

function nameOf({ kind, title, type }: HomePart): string {
  const of = typeOf(type ?? "");
  return title || (of ? `${kindName(kind)}: ${of.displayName}` : kindName(kind));
}

function Details({ part, onChange }: { part: HomePart; onChange: (some: Partial<HomePart>) => void }) {
  const type = typeOf(part.type ?? "");
  const [views, setViews] = useState<readonly View[]>([]);
  useEffect(() => {
    if (type) request<View[]>("GET", `/views/${segment(type.uid)}`).then(({ data }) => setViews(data), toastError);
  }, [type]);
  const choices = views.map((view) => ({ value: toSearch(questionOf(view)).slice(1), label: view.name })).filter(({ value }) => value !== "");
  const query = part.query ?? "";
  if (query && !choices.some(({ value }) => value === query)) choices.push({ value: query, label: t("chosen") });
  return (
    <div class="home-details">
      <Field label={t("part-title")}>{(wired) => <TextInput {...wired} maxLength={100} value={part.title ?? ""} onInput={(title) => onChange({ title })} />}</Field>
      {part.kind === "note" ? (
        <Field label={t("text")}>{(wired) => <TextArea {...wired} maxLength={500} value={part.text ?? ""} onInput={(text) => onChange({ text })} />}</Field>
      ) : (
        <>
          <Field label={t("of")}>
            {(wired) => (
              <Select
                {...wired}
                value={part.type ?? ""}
                onInput={(uid) => onChange({ type: uid, query: "", ...(part.kind === "chart" && { by: groupings(typeOf(uid)!, typeOf)[0]?.value ?? "" }) })}
                options={listed().map(({ uid, displayName }) => ({ value: uid, label: displayName }))}
              />
            )}
          </Field>
          {part.kind === "chart" && type && (
            <Field label={t("group")}>{(wired) => <Select {...wired} value={part.by ?? ""} onInput={(by) => onChange({ by })} options={groupings(type, typeOf)} />}</Field>
          )}
          <Field label={t("which")} help={t("which-help")}>
            {(wired) => <Select {...wired} value={query} onInput={(chosen) => onChange({ query: chosen })} options={[{ value: "", label: t("all") }, ...choices]} />}
          </Field>
        </>
      )}
    </div>
  );
}
