// What the types are, and what they are to become: everything that is changed is kept here
// until it is applied, or the page is left.

import { signal } from "@preact/signals";
import { request } from "../core/api";
import { place } from "../core/router";

export type Values = { [key: string]: unknown };

export interface Attribute {
  /** The name that it has in the site; empty for a new one. */
  was: string;
  name: string;
  /** What it is to be: the definition of the file with what is set. */
  definition: Values;
  set: Values;
}

export interface Type {
  /** What it is known by here, whatever it is called: its uid in the site, or one for a new one. */
  id: string;
  /** Its uid in the site; empty for a new one. */
  was: string;
  kind: string;
  file: string;
  name: string;
  info: { [key in "displayName" | "pluralName" | "description" | "icon"]: string };
  draftAndPublish: boolean;
  localized: boolean;
  attributes: Attribute[];
  removed: boolean;
  /** As it was read, to find what has changed. */
  before: string;
}

interface Defined {
  uid: string;
  kind: string;
  file: string;
  definition: Values;
}

export interface Problem {
  uid: string;
  attribute: string;
  key: string;
  file: string;
  message: string;
  fix: string;
}

export interface Listed {
  editable: boolean;
  types: Defined[];
  problems: Problem[];
}

export const types = signal<Type[]>([]);

/** The type whose page is shown. */
export function shownType(): Type | undefined {
  const id = decodeURIComponent(place.value.path.slice("/types/".length));
  return types.value.find((one) => one.id === id && !one.removed);
}

/** Reads the types of the site, and forgets what has changed here. */
export async function loadTypes(): Promise<Listed> {
  const { data } = await request<Listed>("GET", "/types");
  types.value = data.types.map(read);
  return data;
}

const record = (value: unknown): Values => (typeof value === "object" && value !== null ? (value as Values) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");

function read(d: Defined): Type {
  const info = record(d.definition.info);
  const type: Type = {
    id: d.uid,
    was: d.uid,
    kind: d.kind,
    file: d.file,
    name: d.kind === "component" ? d.uid : text(info.singularName),
    info: { displayName: text(info.displayName), pluralName: text(info.pluralName), description: text(info.description), icon: text(info.icon) },
    draftAndPublish: record(d.definition.options).draftAndPublish === true,
    localized: isLocalized(d.definition),
    attributes: Object.entries(record(d.definition.attributes)).map(([name, definition]) => {
      const one = record(definition);
      return { was: name, name, definition: { ...one, localized: isLocalized(one) }, set: {} };
    }),
    removed: false,
    before: "",
  };
  type.before = JSON.stringify(type);
  return type;
}

function isLocalized(definition: Values): boolean {
  return record(record(definition.pluginOptions).i18n).localized === true;
}

let made = 0;

export function newType(kind: string, name: string, displayName: string, pluralName: string): Type {
  return { id: `new-${++made}`, was: "", kind, file: "", name, info: { displayName, pluralName, description: "", icon: "" }, draftAndPublish: kind !== "component", localized: false, attributes: [], removed: false, before: "" };
}

export const uidOf = (type: Type): string => type.was || (type.kind === "component" ? type.name : `api::${type.name}.${type.name}`);
export const titleOf = (type: Type): string => type.info.displayName || type.name;
export const isChanged = (type: Type): boolean => JSON.stringify({ ...type, before: "" }) !== type.before;

/** Changes a type as it is by now. */
export function update(type: Type, changes: (now: Type) => Partial<Type>) {
  types.value = types.value.map((one) => (one.id === type.id ? { ...one, ...changes(one) } : one));
}

/** What the server is asked for. */
export function changeOf(all: readonly Type[], options: Values): Values {
  return {
    ...options,
    types: all.filter(isChanged).map((type) => {
      if (type.removed) return { was: type.was, remove: true };
      const component = type.kind === "component";
      return {
        ...(type.was ? { was: type.was } : { kind: type.kind }),
        name: type.name,
        displayName: type.info.displayName,
        description: type.info.description,
        ...(component && { icon: type.info.icon }),
        ...(!component && { pluralName: type.info.pluralName, draftAndPublish: type.draftAndPublish, localized: type.localized }),
        attributes: type.attributes.map(({ was, name, set }) => ({ name, ...(was && { was }), set })),
      };
    }),
  };
}

/** The form of a relation as its other side has it. */
export const inverted: { [form: string]: string } = { oneToOne: "oneToOne", oneToMany: "manyToOne", manyToOne: "oneToMany", manyToMany: "manyToMany" };

/** The name of a relation's other side, empty for none. */
export const sideOf = (d: Values | undefined): string => text(d?.inversedBy) || text(d?.mappedBy);

/** How a definition names the other side of its relation. */
export const sidesIn = (d: Values): Values => ({ inversedBy: d.inversedBy, mappedBy: d.mappedBy });

/** How a relation names its other side: the side of many stores the links, else the one that did. */
export function sides(d: Values, name: string): Values {
  const there = d.relation === "oneToMany" || (d.relation !== "manyToOne" && Boolean(d.mappedBy));
  return { inversedBy: name && !there ? name : undefined, mappedBy: name && there ? name : undefined };
}

/** What the other side of a relation is to be. */
function sideDefinition(type: Type, attribute: Attribute): Values {
  const d = attribute.definition;
  return { type: "relation", relation: inverted[String(d.relation)], target: uidOf(type), inversedBy: d.mappedBy ? attribute.name : null, mappedBy: d.mappedBy ? null : attribute.name };
}

/** Replaces an attribute of a type by another version of it, and has the other side of its relation follow. */
export function putAttribute(type: Type, of: Attribute | null, attribute: Attribute) {
  update(type, (now) => ({ attributes: of ? now.attributes.map((one) => (one === of ? attribute : one)) : [...now.attributes, attribute] }));
  const d = attribute.definition;
  const before = of?.definition;
  const former = sideOf(before);
  const name = sideOf(d);
  const changed = (["relation", "target", "inversedBy", "mappedBy"] as const).some((key) => (before?.[key] ?? null) !== (d[key] ?? null));
  if (d.type !== "relation" || !(String(d.relation) in inverted) || !changed) return;
  if (former && (!name || before?.target !== d.target)) change(text(before?.target), (all) => all.filter((one) => one.name !== former));
  if (!name) return;
  const wanted = sideDefinition(type, attribute);
  change(text(d.target), (all) => {
    const there = before?.target === d.target && former ? all.find((one) => one.name === former) : undefined;
    if (!there) return [...all, { was: "", name, definition: wanted, set: wanted }];
    return all.map((one) => (one === there ? { ...one, name, definition: { ...one.definition, ...wanted }, set: { ...one.set, ...wanted } } : one));
  });
}

/** Changes the attributes of the type of a uid. */
function change(uid: string, attributes: (all: Attribute[]) => Attribute[]) {
  types.value = types.value.map((one) => (uidOf(one) === uid && !one.removed ? { ...one, attributes: attributes(one.attributes) } : one));
}

/** The pattern of a name in the API, of a content type or of a component. */
export const namePattern = (kind: string): RegExp => (kind === "component" ? /^[a-z][a-z0-9]*(-[a-z0-9]+)*\.[a-z][a-z0-9]*(-[a-z0-9]+)*$/ : /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);

/** Gives a type that is not in the site yet another name: what leads to it follows. */
export function renameNew(type: Type, name: string) {
  const former = uidOf(type);
  const renamed = uidOf({ ...type, name });
  const follow = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value === former ? renamed : Array.isArray(value) ? value.map((one) => (one === former ? renamed : one)) : value]));
  const followed = (one: Type): Type => ({ ...one, attributes: one.attributes.map((a) => ({ ...a, definition: follow(a.definition), set: follow(a.set) })) });
  types.value = types.value.map(followed).map((one) => (one.id === type.id ? { ...one, name } : one));
}
