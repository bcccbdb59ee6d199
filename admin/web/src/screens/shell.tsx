// The frame of all pages: navigation at the side, the page, and what is above it.

import { signal } from "@preact/signals";
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useCommands } from "../core/commands";
import { t } from "../core/i18n";
import { place } from "../core/router";
import { schema } from "../core/schema";
import { online } from "../core/session";
import { Button, IconButton } from "../ui/button";
import { Drawer } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Icon } from "../ui/icon";
import { PasswordDialog, useAccountCommands } from "./account";
import { Navigation } from "./navigation";
import { openPalette, Palette } from "./palette";
import { Screen } from "./routes";
import { openShortcuts, Shortcuts } from "./shortcuts";

const drawer = signal(false);

export function Shell() {
  const main = useRef<HTMLElement>(null);
  const path = place.value.path;
  useAccountCommands();
  useCommands([
    { label: t("shortcuts.palette"), keys: "Mod+K", run: openPalette, keysOnly: true },
    { label: t("shell.shortcuts"), keys: "?", icon: "keyboard", run: openShortcuts },
  ]);
  useEffect(() => {
    drawer.value = false;
    requestAnimationFrame(() => {
      // What had the focus is gone with the page before: keys go on from this one.
      if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
    });
  }, [path]);
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
      <PhoneBar />
      <main class="shell-main" id="main" ref={main} tabIndex={-1}>
        <Offline />
        <Boundary path={path}>
          <Screen />
        </Boundary>
      </main>
      <Drawer open={drawer.value} side="start" size="small" title={schema.value?.name ?? ""} onClose={() => (drawer.value = false)}>
        <nav class="nav-drawer" aria-label={t("shell.navigation")}>
          <Navigation inDrawer />
        </nav>
      </Drawer>
      <Palette />
      <Shortcuts />
      <PasswordDialog />
    </div>
  );
}

function PhoneBar() {
  return (
    <header class="phone-bar">
      <IconButton icon="menu" label={t("shell.menu")} onClick={() => (drawer.value = true)} />
      <strong class="truncate">{schema.value?.name}</strong>
      <IconButton icon="search" label={t("palette.title")} onClick={openPalette} />
    </header>
  );
}

function Offline() {
  return (
    <div role="status">
      {!online.value && (
        <p class="banner">
          <Icon name="offline" />
          {t("shell.offline")}
        </p>
      )}
    </div>
  );
}

interface BoundaryProps {
  path: string;
  children: ComponentChildren;
}

/** Shows that a page has failed, instead of nothing; another page is tried again. */
class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };
  static override getDerivedStateFromError() {
    return { failed: true };
  }
  override componentDidCatch(error: unknown) {
    console.error(error);
  }
  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.failed && before.path !== this.props.path) this.setState({ failed: false });
  }
  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <Empty
        page
        icon="warning"
        title={t("shell.broken")}
        action={
          <Button variant="primary" onClick={() => location.reload()}>
            {t("shell.reload")}
          </Button>
        }
      >
        {t("shell.broken-text")}
      </Empty>
    );
  }
}
