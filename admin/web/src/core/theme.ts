// Light, dark, or as the system is. The page's first script applies the choice before it paints.

import { signal } from "@preact/signals";

export type Theme = "light" | "dark" | "system";

const key = "quire-theme";

export const theme = signal<Theme>(stored());

function stored(): Theme {
  const value = localStorage.getItem(key);
  return value === "light" || value === "dark" ? value : "system";
}

export function setTheme(chosen: Theme) {
  theme.value = chosen;
  if (chosen === "system") localStorage.removeItem(key);
  else localStorage.setItem(key, chosen);
  apply();
}

function apply() {
  if (theme.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

/** Follows what another tab chooses. */
export function startTheme() {
  apply();
  addEventListener("storage", (event) => {
    if (event.key !== key) return;
    theme.value = stored();
    apply();
  });
}
