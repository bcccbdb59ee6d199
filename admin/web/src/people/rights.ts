// The rights of a role of the admin: how they are read and changed. Rights are never
// changed in place.

import type { Action, Attribute, Component, ContentType } from "../core/schema";

/** What a role may do with the documents of one type. */
export interface TypeRights {
  actions: Action[];
  /** Changes are limited to documents that the account has made. */
  own?: boolean;
  /** Conditions that documents meet: for the role, others do not exist. */
  where?: Where[];
  /** The locales that may be changed; null for all. */
  locales: string[] | null;
  /** Attributes by path through components: seo.keywords. */
  hidden?: string[];
  readOnly?: string[];
}

/** An attribute equals a value, or the value that the account has under a name. */
export interface Where {
  attribute: string;
  is?: string;
  account?: string;
}

/** Which documents of a type a role reaches. */
export type Which = "all" | "own" | "where";

export function whichOf(rights: TypeRights): Which {
  if (rights.where?.length) return "where";
  return rights.own ? "own" : "all";
}

/** The rights with another choice of documents; attribute is what a first condition is about. */
export function withWhich(rights: TypeRights, which: Which, attribute: string): TypeRights {
  return { ...rights, own: which === "own", where: which === "where" ? [{ attribute, is: "" }] : [] };
}

/** Whether a type has no such attribute, so that the role reaches nothing of it. */
export function isBroken(type: ContentType, condition: Where): boolean {
  return !type.attributes.some((attribute) => attribute.name === condition.attribute);
}

export interface Rights {
  /** Everything is allowed, as to owners. */
  full?: boolean;
  /** By uid, and by everyType for those that are not named. */
  types?: Record<string, TypeRights>;
  files?: string[];
  releases?: boolean;
  site?: string[];
}

/** A role as those see it who may change roles. */
export interface RoleLine {
  id: string;
  name: string;
  builtIn: boolean;
  /** How many have it. */
  accounts: number;
  rights: Rights;
  /** Its accounts need one. */
  secondFactor: boolean;
}

export const rolesPath = "/people/roles";

/** Where a role is changed; "new" makes one, as a copy of the role in the query's "from". */
export function rolePath(id: string): string {
  return `${rolesPath}/${id}`;
}

export const everyType = "*";

export const actions: readonly Action[] = ["read", "create", "update", "delete", "publish", "unpublish"];

const none: TypeRights = { actions: [], locales: null };

/** What the role may do with a type, by its name or as with all others. */
export function rightsOn(rights: Rights, uid: string): TypeRights {
  if (rights.full) return { actions: [...actions], locales: null };
  return rights.types?.[uid] ?? rights.types?.[everyType] ?? none;
}

/** Whether the role names the type, so that its rights on all others mean nothing for it. */
export function isNamed(rights: Rights, uid: string): boolean {
  return rights.types?.[uid] !== undefined;
}

/** The rights with other ones on a type; null has the type follow all others again. */
export function withType(rights: Rights, uid: string, changed: TypeRights | null): Rights {
  const types = { ...rights.types };
  if (changed) types[uid] = changed;
  else delete types[uid];
  return { ...rights, types };
}

/** The rights with an action on a type allowed or not. Whatever is changed must be read, too. */
export function withAction(rights: Rights, uid: string, action: Action, allowed: boolean): Rights {
  const before = rightsOn(rights, uid);
  const wanted = new Set<Action>(before.actions);
  if (allowed) wanted.add(action).add("read");
  else if (action === "read") wanted.clear();
  else wanted.delete(action);
  return withType(rights, uid, { ...before, actions: actions.filter((one) => wanted.has(one)) });
}

/** A list with a word in it or not, in the order of all. */
export function withWord(list: readonly string[] | undefined, all: readonly string[], word: string, there: boolean): string[] {
  return all.filter((one) => (one === word ? there : list?.includes(one)));
}

/** How a role sees an attribute. */
export type Seen = "changed" | "readOnly" | "hidden";

export function seenOf(rights: TypeRights, path: string): Seen {
  if (rights.hidden?.includes(path)) return "hidden";
  return rights.readOnly?.includes(path) ? "readOnly" : "changed";
}

export function withSeen(rights: TypeRights, path: string, seen: Seen): TypeRights {
  const without = (list: readonly string[] = []) => list.filter((one) => one !== path);
  return {
    ...rights,
    hidden: seen === "hidden" ? [...without(rights.hidden), path] : without(rights.hidden),
    readOnly: seen === "readOnly" ? [...without(rights.readOnly), path] : without(rights.readOnly),
  };
}

/** An attribute of a type, or of a component in it. */
export interface AttributePath {
  path: string;
  /** As people read it: SEO › Keywords. */
  label: string;
}

const deepest = 4; // components in components

/** All attributes of a type, with those of its components. */
export function attributePaths(type: ContentType, componentOf: (uid: string) => Component | undefined): AttributePath[] {
  const found = new Map<string, AttributePath>();
  const visit = (attributes: readonly Attribute[], above: AttributePath | null, depth: number) => {
    for (const attribute of attributes) {
      const one = {
        path: above ? `${above.path}.${attribute.name}` : attribute.name,
        label: above ? `${above.label} › ${attribute.label}` : attribute.label,
      };
      if (found.has(one.path)) continue; // two components of a zone may have an attribute of one name
      found.set(one.path, one);
      if (depth < deepest) for (const uid of insideOf(attribute)) visit(componentOf(uid)?.attributes ?? [], one, depth + 1);
    }
  };
  visit(type.attributes, null, 1);
  return [...found.values()];
}

function insideOf(attribute: Attribute): readonly string[] {
  if (attribute.type === "component" && attribute.component) return [attribute.component];
  return attribute.type === "dynamiczone" ? (attribute.components ?? []) : [];
}
