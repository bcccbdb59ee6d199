// Components: a single one, repeated ones, and dynamic zones.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { t } from "../../core/i18n";
import { announce } from "../../core/live-region";
import { type Component, componentOf } from "../../core/schema";
import { Button, IconButton } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Menu, type MenuEntry } from "../../ui/menu";
import { Sortable } from "../../ui/sortable";
import { toastUndo } from "../../ui/toasts";
import { type FieldProps, useSheet } from "../context";
import type { FormStore } from "../form/form";
import type { Group } from "../form/node";
import { limitOf } from "../form/rules";
import { filesOf, type Path, textOf } from "../form/shape";
import { Frame, useLock } from "./frame";
import { Layout, type OuterFieldProps } from "./layout";
import { thumbnailOf } from "./picture";

/** A single component, which may be missing. */
export function SlotField(props: OuterFieldProps) {
  const { path, attribute, form, Inner } = props;
  const group = form.slot(path).value;
  const locked = useLock(attribute);
  const component = componentOf(attribute.component ?? "");
  if (!component) return null;
  const removal = group && !locked && !attribute.required && (
    <IconButton small icon="trash" label={t("item.remove", { name: attribute.label })} onClick={() => toastUndo(t("item.removed", { name: attribute.label }), form.clear(path))} />
  );
  return (
    <Frame {...props} labels="group" class="group" aside={removal}>
      {(wired, labelId) => (
        <div id={wired.id} role="group" aria-labelledby={labelId} tabIndex={-1} class="group-body">
          {group ? (
            <Layout Field={Inner} key={group.key} form={form} path={path} attributes={component.attributes} layout={component.layout.edit} />
          ) : (
            <Button small variant="quiet" icon="plus" disabled={locked} onClick={() => form.fill(path)}>
              {t("item.add", { name: attribute.label })}
            </Button>
          )}
        </div>
      )}
    </Frame>
  );
}

const foldedFrom = 4; // items; longer lists open folded up

/** Components in an order, of one kind or, in a dynamic zone, of several. */
export function ListField(props: OuterFieldProps) {
  const { path, attribute, form } = props;
  const sheet = useSheet();
  const keys = form.keys(path).value;
  const locked = useLock(attribute);
  const folded = useRef(keys.length >= foldedFrom);
  const limit = limitOf(attribute);
  const full = limit !== undefined && keys.length >= limit;
  const nameOf = (key: number) => t("item.name", { name: componentName(form.item(path, key)), n: form.keys(path).peek().indexOf(key) + 1 });
  const add = (index: number, uid: string) => {
    const key = form.insert(path, index, uid);
    sheet.fold([...path, key], false);
    const first = componentOf(uid)?.attributes[0]?.name;
    sheet.show(first === undefined ? [...path, key] : [...path, key, first]);
    announce(t("item.added", { name: componentOf(uid)?.displayName ?? uid, n: index + 1 }));
  };
  const foldAll = (to: boolean) => keys.forEach((key) => (sheet.fold([...path, key], folded.current).value = to));
  const anyOpen = keys.some((key) => !sheet.fold([...path, key], folded.current).value);
  const aside = keys.length > 1 && (
    <button type="button" class="link-button" onClick={() => foldAll(anyOpen)}>
      {anyOpen ? t("item.fold-all") : t("item.unfold-all")}
    </button>
  );
  return (
    <Frame {...props} labels="group" class="items" help={limit !== undefined && t("item.count", { n: keys.length, limit })} aside={aside}>
      {(wired, labelId) => (
        <div id={wired.id} role="group" aria-labelledby={labelId} aria-describedby={wired["aria-describedby"]} tabIndex={-1}>
          <Sortable label={attribute.label} items={keys} keyOf={String} nameOf={nameOf} disabled={locked} onMove={(from, to) => form.move(path, keys[from] ?? -1, to)}>
            {(key, handle, index) => (
              <>
                {!locked && !full && <Adder attribute={attribute} place={t("item.insert-before", { name: nameOf(key) })} between onAdd={(uid) => add(index, uid)} />}
                <ItemCard {...props} itemKey={key} name={nameOf(key)} handle={handle} folded={folded.current} locked={locked} full={full} />
              </>
            )}
          </Sortable>
          {!locked && !full && <Adder attribute={attribute} place={addName(attribute)} onAdd={(uid) => add(keys.length, uid)} />}
        </div>
      )}
    </Frame>
  );
}

const addName = (attribute: FieldProps["attribute"]) => (attribute.component ? t("item.add", { name: componentOf(attribute.component)?.displayName ?? "" }) : t("item.add-to", { name: attribute.label }));

interface AdderProps {
  attribute: FieldProps["attribute"];
  /** What the button is called. */
  place: string;
  /** It stands between two items, and shows itself on hover and focus. */
  between?: boolean;
  onAdd: (uid: string) => void;
}

/** Adds a component: at once where there is one kind, by a menu where there are several. */
function Adder({ attribute, place, between, onAdd }: AdderProps) {
  const one = attribute.component ?? (attribute.components?.length === 1 ? attribute.components[0] : undefined);
  const choices = one
    ? null
    : <Menu label={place} icon="plus" {...(between ? { iconOnly: true } : {})} button={{ small: true, variant: "quiet" }} items={choicesOf(attribute.components ?? [], onAdd)} />;
  const button = between ? (
    <IconButton small icon="plus" label={place} onClick={() => one && onAdd(one)} />
  ) : (
    <Button small variant="quiet" icon="plus" onClick={() => one && onAdd(one)}>
      {place}
    </Button>
  );
  return <div class={between ? "item-insert" : "item-add"}>{choices ?? button}</div>;
}

function choicesOf(uids: readonly string[], onAdd: (uid: string) => void): MenuEntry[] {
  const found = uids.flatMap((uid) => componentOf(uid) ?? []);
  const categories = [...new Set(found.map((c) => c.category))];
  const itemsOf = (list: readonly Component[]) => list.map((c) => ({ label: c.displayName, icon: "component" as const, onSelect: () => onAdd(c.uid) }));
  if (categories.length < 2) return itemsOf(found);
  return categories.map((category) => ({ group: category, items: itemsOf(found.filter((c) => c.category === category)) }));
}

interface ItemProps extends OuterFieldProps {
  itemKey: number;
  name: string;
  handle: ComponentChildren;
  folded: boolean;
  locked: boolean;
  full: boolean;
}

/** One component of a list: a head that stays, and its fields unless it is folded up. */
function ItemCard({ path, form, Inner, itemKey, name, handle, folded, locked, full }: ItemProps) {
  const sheet = useSheet();
  const inner = [...path, itemKey];
  const group = form.item(path, itemKey);
  const fold = sheet.fold(inner, folded);
  const component = componentOf(group?.component ?? "");
  if (!group || !component) return <p class="field-help">{t("item.unknown", { name: group?.component ?? "" })}</p>;
  const id = sheet.id(inner);
  const faults = fold.value ? form.problems.visible(inner).length : 0;
  const remove = () => toastUndo(t("item.removed", { name }), form.remove(path, itemKey));
  return (
    <div class={`item${fold.value ? " folded" : ""}`} role="group" aria-label={name}>
      <div class="item-head">
        {handle}
        <button type="button" id={id} class="item-fold" aria-expanded={!fold.value} aria-controls={`${id}-body`} onClick={() => (fold.value = !fold.value)}>
          <Icon name={fold.value ? "right" : "down"} />
          <span class="item-kind">{name}</span>
          {fold.value && <Summary group={group} component={component} />}
          {faults > 0 && (
            <span class="item-faults">
              <Icon name="error" size={14} />
              {t("item.faults", { n: faults })}
            </span>
          )}
        </button>
        {!locked && <ItemMenu path={path} form={form} itemKey={itemKey} name={name} full={full} remove={remove} />}
      </div>
      {!fold.value && (
        <div class="item-body" id={`${id}-body`}>
          <Layout Field={Inner} form={form} path={inner} attributes={component.attributes} layout={component.layout.edit} />
        </div>
      )}
    </div>
  );
}

interface ItemMenuProps {
  path: Path;
  form: FormStore;
  itemKey: number;
  name: string;
  full: boolean;
  remove: () => void;
}

function ItemMenu({ path, form, itemKey, name, full, remove }: ItemMenuProps) {
  const keys = form.keys(path).value;
  const at = keys.indexOf(itemKey);
  const move = (to: number) => {
    form.move(path, itemKey, to);
    announce(t("sort.moved", { name, to: to + 1, of: keys.length }));
  };
  return (
    <>
      <Menu
        label={t("item.actions", { name })}
        icon="more"
        iconOnly
        align="end"
        button={{ small: true }}
        items={[
          { label: t("item.duplicate"), icon: "duplicate", disabled: full, onSelect: () => form.duplicate(path, itemKey) },
          { label: t("item.up"), icon: "up", disabled: at === 0, onSelect: () => move(at - 1) },
          { label: t("item.down"), icon: "down", disabled: at === keys.length - 1, onSelect: () => move(at + 1) },
          "line",
          { label: t("delete"), icon: "trash", danger: true, onSelect: remove },
        ]}
      />
      <IconButton small icon="trash" label={t("item.delete", { name })} onClick={remove} />
    </>
  );
}

const componentName = (group: Group | undefined): string => componentOf(group?.component ?? "")?.displayName ?? "";

/** What a component that is folded up shows of itself: its first picture and text. */
function Summary({ group, component }: { group: Group; component: Component }) {
  const { text, picture } = summaryOf(group, component);
  return (
    <>
      {picture && <img class="item-picture" src={picture} alt="" loading="lazy" />}
      <span class="item-summary truncate">{text}</span>
    </>
  );
}

const summaryTexts = 2;

function summaryOf(group: Group, component: Component): { text: string; picture: string | undefined } {
  const names = new Set([component.mainField, ...component.attributes.map((a) => a.name)]);
  const texts: string[] = [];
  let picture: string | undefined;
  for (const name of names) {
    const node = group.fields.get(name);
    if (node?.kind !== "leaf") continue;
    const value = node.value.value;
    if (node.attribute.type === "media") picture ??= thumbnailOf(filesOf(value)[0]);
    const text = inSummary(node.attribute.type, value);
    if (text !== "" && texts.length < summaryTexts) texts.push(text);
  }
  return { text: texts.join(" · "), picture };
}

function inSummary(type: string, value: unknown): string {
  if (type === "password") return "";
  return type === "blocks" ? blocksText(value) : textOf(value).slice(0, 120);
}

/** The first words of blocks. */
function blocksText(value: unknown): string {
  if (!Array.isArray(value)) return "";
  let text = "";
  const gather = (nodes: readonly { text?: unknown; children?: unknown }[]) => {
    for (const node of nodes) {
      if (typeof node.text === "string") text += node.text;
      if (Array.isArray(node.children)) gather(node.children as typeof nodes);
      if (text.length > 120) return;
    }
    text += " ";
  };
  gather(value as { text?: unknown; children?: unknown }[]);
  return text.trim().slice(0, 120);
}
