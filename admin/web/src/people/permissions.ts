// Permissions of the content API, as roles of the site and tokens hold them: a controller's
// uid and an action, "api::dish.dish.find".

/** A role of the site, as Strapi's endpoints show it. */
export interface SiteRole {
  id: number;
  name: string;
  description: string | null;
  /** What roles are called where they are set: "public". */
  type: string;
  nb_users?: number;
}

/** What roles and tokens may be allowed, and which roles are changed in site.json alone. */
export interface Permissions {
  permissions: string[];
  tokensOnly: string[];
  inSite: string[];
}

export const siteRolesPath = "/people/site-roles";

/** The actions of one controller. */
export interface Controller {
  uid: string;
  /** The type's name, or else the uid. */
  name: string;
  actions: string[];
}

/** All permissions by controller, types of content first. nameOf knows types by uid. */
export function controllersOf(permissions: readonly string[], nameOf: (uid: string) => string | undefined): Controller[] {
  const byUID = new Map<string, Controller>();
  for (const permission of permissions) {
    const dot = permission.lastIndexOf(".");
    const uid = permission.slice(0, dot);
    const controller = byUID.get(uid) ?? { uid, name: nameOf(uid) ?? uid, actions: [] };
    controller.actions.push(permission.slice(dot + 1));
    byUID.set(uid, controller);
  }
  const rank = ({ uid }: Controller) => (uid.startsWith("api::") ? 0 : 1);
  return [...byUID.values()].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** Permissions as Strapi's endpoints show them: by API or plugin, controller and action. */
export type Tree = Record<string, { controllers: Record<string, Record<string, { enabled: boolean }>> }>;

/** The permissions that a tree enables. */
export function fromTree(tree: Tree): string[] {
  const held: string[] = [];
  for (const [group, { controllers }] of Object.entries(tree)) {
    for (const [controller, actions] of Object.entries(controllers)) {
      for (const [action, { enabled }] of Object.entries(actions)) if (enabled) held.push(`${group}.${controller}.${action}`);
    }
  }
  return held;
}

/** A tree that enables permissions and no others. */
export function toTree(held: readonly string[]): Tree {
  const tree: Tree = {};
  for (const permission of held) {
    const dot = permission.lastIndexOf(".");
    const uid = permission.slice(0, dot);
    const between = uid.lastIndexOf(".");
    const group = (tree[uid.slice(0, between)] ??= { controllers: {} });
    (group.controllers[uid.slice(between + 1)] ??= {})[permission.slice(dot + 1)] = { enabled: true };
  }
  return tree;
}
