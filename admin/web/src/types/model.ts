// What the types are, and what they are to become: everything that is changed is kept here
// until it is applied, or the page is left.

import { signal } from "@preact/signals";
import { request } from "../core/api";

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
  /** Its uid in the site; empty for a new one. */
  was: string;
  kind: string;
  file: string;
  name: string;
  info: { [key in "displayName" | "pluralName" | "description"]: string };
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
    was: d.uid,
    kind: d.kind,
    file: d.file,
    name: d.kind === "component" ? d.uid : text(info.singularName),
    info: { displayName: text(info.displayName), pluralName: text(info.pluralName), description: text(info.description) },
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

export function newType(kind: string, name: string, displayName: string, pluralName: string): Type {
  return { was: "", kind, file: "", name, info: { displayName, pluralName, description: "" }, draftAndPublish: kind !== "component", localized: false, attributes: [], removed: false, before: "" };
}

export const uidOf = (type: Type): string => type.was || (type.kind === "component" ? type.name : `api::${type.name}.${type.name}`);
export const titleOf = (type: Type): string => type.info.displayName || type.name;
export const isChanged = (type: Type): boolean => JSON.stringify({ ...type, before: "" }) !== type.before;

/** Replaces a type by another version of it. */
export function put(former: Type, type: Type) {
  types.value = types.value.map((one) => (one === former ? type : one));
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
        ...(!component && { pluralName: type.info.pluralName, draftAndPublish: type.draftAndPublish, localized: type.localized }),
        attributes: type.attributes.map(({ was, name, set }) => ({ name, ...(was && { was }), set })),
      };
    }),
  };
}

/** The form of a relation as its other side has it. */
export const inverted: { [form: string]: string } = { oneToOne: "oneToOne", oneToMany: "manyToOne", manyToOne: "oneToMany", manyToMany: "manyToMany" };
