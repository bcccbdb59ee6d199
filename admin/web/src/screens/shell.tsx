// The frame of all pages: navigation, account, banner, and what is above the page.

import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { chooseLanguage, language, languages, t, type Language } from "../core/i18n";
import { Link, place } from "../core/router";
import { schema, typePath, type ContentType } from "../core/schema";
import { account, online, signOut } from "../core/session";
import { setTheme, theme } from "../core/theme";
import { Button, IconButton } from "../ui/button";
import { Drawer } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Icon } from "../ui/icon";
import { Menu } from "../ui/menu";
import { Screen } from "./routes";

export function Shell() {
  const [drawer, setDrawer] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = place.value.path;
  useEffect(() => setDrawer(false), [path]);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {t("shell.skip")}
      </a>
      <nav class="nav" aria-label={t("shell.navigation")}>
        <Navigation />
      </nav>
      <main class="shell-main" id="main" ref={main} tabIndex={-1}>
        <div class="phone-bar">
          <IconButton icon="menu" label={t("shell.menu")} onClick={() => setDrawer(true)} />
          <strong>{schema.value?.name}</strong>
        </div>
        {!online.value && (
          <p class="banner" role="status">
            <Icon name="offline" />
            {t("shell.offline")}
          </p>
        )}
        <Boundary key={path}>
          <Screen />
        </Boundary>
      </main>
      <Drawer open={drawer} size="small" title={schema.value?.name ?? ""} onClose={() => setDrawer(false)}>
        <nav aria-label={t("shell.navigation")}>
          <Navigation />
        </nav>
      </Drawer>
    </div>
  );
}

function Navigation() {
  const types = schema.value?.types ?? [];
  return (
    <>
      <Link class="nav-site" to="/">
        {schema.value?.name}
      </Link>
      <div class="nav-scroll">
        <Group title={t("shell.content")} types={types.filter((type) => type.kind === "collectionType")} />
        <Group title={t("shell.singles")} types={types.filter((type) => type.kind === "singleType")} />
      </div>
      <div class="nav-foot">
        <AccountMenu />
      </div>
    </>
  );
}

function Group({ title, types }: { title: string; types: ContentType[] }) {
  if (types.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {types.map((type) => (
          <li key={type.uid}>
            <Link class="nav-link" to={typePath(type)}>
              <Icon name={type.kind === "singleType" ? "single" : "documents"} />
              <span class="truncate">{type.displayName}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function AccountMenu() {
  const who = account.value;
  if (!who) return null;
  const themes = [
    { key: "light", label: t("shell.theme-light") },
    { key: "dark", label: t("shell.theme-dark") },
    { key: "system", label: t("shell.theme-system") },
  ] as const;
  return (
    <Menu
      label={t("shell.account", { name: who.name })}
      button={{ variant: "quiet" }}
      items={[
        { group: t("shell.theme"), items: themes.map(({ key, label }) => ({ label, checked: theme.value === key, onSelect: () => setTheme(key) })) },
        {
          group: t("shell.language"),
          items: (Object.keys(languages) as Language[]).map((code) => ({
            label: languages[code],
            checked: language.value === code,
            onSelect: () => void chooseLanguage(code),
          })),
        },
        "line",
        { label: t("shell.signout"), icon: "signout", onSelect: () => void signOut() },
      ]}
    >
      <Icon name="person" />
      <span class="truncate">{who.name}</span>
    </Menu>
  );
}

/** Shows that a page has failed, instead of nothing. */
class Boundary extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };
  static override getDerivedStateFromError() {
    return { failed: true };
  }
  override componentDidCatch(error: unknown) {
    console.error(error);
  }
  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <Empty icon="warning" title={t("shell.broken")} action={<Button onClick={() => location.reload()}>{t("shell.reload")}</Button>}>
        {t("shell.broken-text")}
      </Empty>
    );
  }
}
