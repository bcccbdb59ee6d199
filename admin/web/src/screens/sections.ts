// The sections of the admin in which a site is made and kept, beside its content.

import type { ComponentType } from "preact";
import type { Key } from "../core/i18n";
import { schema } from "../core/schema";
import { maySite } from "../core/session";
import type { IconName } from "../ui/icon";

export interface Section {
  /** Where it is; what is below is its own. */
  path: string;
  icon: IconName;
  /** Its name in the navigation and in the palette. */
  label: Key;
  /** Whether the account may use it. */
  shown: () => boolean;
  /** Its pages, which are loaded when it is first opened. */
  load: () => Promise<{ default: ComponentType }>;
}

export const sections: readonly Section[] = [
  {
    path: "/media",
    icon: "image",
    label: "shell.media",
    shown: () => schema.value?.files.includes("read") ?? false,
    load: () => import("../media/page"),
  },
  {
    path: "/releases",
    icon: "calendar",
    label: "shell.releases",
    shown: () => schema.value?.releases ?? false,
    load: () => import("../releases/page"),
  },
  {
    path: "/types",
    icon: "component",
    label: "shell.types",
    shown: () => maySite("schemas"),
    load: () => import("../types/page"),
  },
  {
    path: "/people",
    icon: "people",
    label: "shell.people",
    shown: () => maySite("accounts") || maySite("access") || schema.value?.users != null,
    load: () => import("../people/page"),
  },
  {
    path: "/operation",
    icon: "pulse",
    label: "shell.operation",
    shown: () => maySite("settings"),
    load: () => import("../operation/page"),
  },
  {
    path: "/settings",
    icon: "settings",
    label: "shell.settings",
    shown: () => maySite("settings"),
    load: () => import("../settings/page"),
  },
];

/** The sections that the account may use. */
export function shownSections(): Section[] {
  return sections.filter((section) => section.shown());
}

/** The section to which a path belongs, if the account may use it. */
export function sectionOf(path: string): Section | undefined {
  return shownSections().find((section) => path === section.path || path.startsWith(`${section.path}/`));
}
