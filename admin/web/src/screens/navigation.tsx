// The navigation: types by kind, a filter where there are many, and the account.

import { signal } from "@preact/signals";
import { formatKeys } from "../core/commands";
import { t } from "../core/i18n";
import { Link, place } from "../core/router";
import { schema, typePath, type ContentType } from "../core/schema";
import { hasWords, wordsOf } from "../core/words";
import { Button, IconButton } from "../ui/button";
import { Icon, type IconName } from "../ui/icon";
import { TextInput } from "../ui/inputs";
import { AccountMenu } from "./account";
import { Logo } from "./logo";
import { openPalette } from "./palette";
import { shownSections } from "./sections";
import { openShortcuts } from "./shortcuts";

/** From how many types on a filter helps. */
const many = 9;

/** From how many letters on a name may not fit. */
const longName = 24;

const filter = signal("");

export function Navigation({ inDrawer }: { inDrawer?: boolean }) {
  const types = schema.value?.types ?? [];
  const words = types.length < many ? [] : wordsOf(filter.value);
  const shown = types.filter((type) => hasWords(`${type.displayName} ${type.pluralName}`, words));
  return (
    <>
      {!inDrawer && (
        <Link class="nav-site" to="/">
          <Logo size={24} />
          <span class="truncate">{schema.value?.name}</span>
        </Link>
      )}
      <Button class="nav-search" icon="search" onClick={openPalette} aria-keyshortcuts="Control+K" data-keys={formatKeys("Mod+K")}>
        {t("search")}
      </Button>
      <div class="nav-scroll">
        <ul>
          <NavLink to="/" icon="home" label={t("shell.home")} />
        </ul>
        {types.length >= many && (
          <TextInput
            class="nav-filter"
            type="search"
            aria-label={t("shell.filter")}
            placeholder={t("shell.filter")}
            value={filter.value}
            onInput={(text) => (filter.value = text)}
          />
        )}
        <Group title={t("shell.content")} types={shown.filter((type) => type.kind === "collectionType")} />
        <Group title={t("shell.singles")} types={shown.filter((type) => type.kind === "singleType")} />
        {shown.length === 0 && types.length > 0 && <p class="nav-none">{t("nothing-found")}</p>}
        <Sections />
      </div>
      <div class="nav-foot">
        <AccountMenu />
        <IconButton icon="keyboard" label={t("shell.shortcuts")} onClick={openShortcuts} />
      </div>
    </>
  );
}

function Group({ title, types }: { title: string; types: ContentType[] }) {
  if (types.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {types.map((type) => (
          <NavLink key={type.uid} to={typePath(type)} icon={type.kind === "singleType" ? "single" : "documents"} label={type.displayName} />
        ))}
      </ul>
    </section>
  );
}

function Sections() {
  const sections = shownSections();
  if (sections.length === 0) return null;
  return (
    <section aria-label={t("shell.site")}>
      <h2>{t("shell.site")}</h2>
      <ul>
        {sections.map(({ path, icon, label }) => (
          <NavLink key={path} to={path} icon={icon} label={t(label)} />
        ))}
      </ul>
    </section>
  );
}

function NavLink({ to, icon, label }: { to: string; icon: IconName; label: string }) {
  const path = place.value.path;
  const within = to !== "/" && path.startsWith(`${to}/`);
  return (
    <li>
      <Link class={`nav-link${within ? " within" : ""}`} to={to}>
        <Icon name={icon} />
        <span class="truncate" data-tip={label.length > longName ? label : undefined}>
          {label}
        </span>
      </Link>
    </li>
  );
}
