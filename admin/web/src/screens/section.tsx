// The page of a section: its title, links to its pages, and the page that is shown.

import type { ComponentChildren, ComponentType } from "preact";
import { Link, place, useTitle } from "../core/router";

export interface SubPage {
  /** Below the section, "" for the first: /people and /people/roles. */
  path: string;
  label: string;
  Page: ComponentType;
}

export interface SectionPageProps {
  /** Where the section is, such as "/people". */
  path: string;
  title: string;
  /** At least one; only those that the account may use. */
  pages: readonly SubPage[];
}

export function SectionPage({ path, title, pages }: SectionPageProps) {
  const rest = place.value.path.slice(path.length).replace(/^\//, "");
  const chosen = pages.find((page) => page.path !== "" && (rest === page.path || rest.startsWith(`${page.path}/`))) ?? pages[0];
  useTitle(chosen && pages.length > 1 ? `${chosen.label} · ${title}` : title);
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{title}</h1>
      </header>
      {pages.length > 1 && (
        <nav class="section-nav" aria-label={title}>
          {pages.map((page) => (
            <Link key={page.path} class="tab" to={page.path === "" ? path : `${path}/${page.path}`} aria-current={page === chosen ? "page" : undefined}>
              {page.label}
            </Link>
          ))}
        </nav>
      )}
      {chosen && <chosen.Page />}
    </div>
  );
}

/** A part of a page with a heading, what it is about, and its actions at the right. */
export function SectionPart({ title, text, actions, children }: { title: string; text?: ComponentChildren; actions?: ComponentChildren; children?: ComponentChildren }) {
  return (
    <section class="section-part">
      <header class="section-part-head">
        <div>
          <h2>{title}</h2>
          {text && <p class="quiet-text">{text}</p>}
        </div>
        {actions && <div class="section-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface SectionTableProps {
  columns: readonly string[];
  /** The rows have no actions; else a last column, without a heading, is for them. */
  shownOnly?: boolean;
  class?: string;
  children: ComponentChildren;
}

/** A table of things with a name and actions; on a phone each row is a card. */
export function SectionTable({ columns, shownOnly, class: extra, children }: SectionTableProps) {
  return (
    <table class={`section-table${extra ? ` ${extra}` : ""}`}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          {!shownOnly && <td />}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
