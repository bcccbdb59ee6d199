// Signing in at the provider of the site, from the page for signing in.

import { useEffect, useState } from "preact/hooks";
import { apiBase } from "../core/api";
import { href, place, setQuery } from "../core/router";
import { resume } from "../core/session";
import { FormError } from "../screens/door";
import { t, type Key } from "./words";

export interface ProviderProps {
  /** What the button says. */
  label: string;
  /** It is the only way in. */
  alone: boolean;
  /** A page is open below, which stays: the provider is in another tab. */
  apart: boolean;
}

/** Why nobody was let in, by the code that the address has. */
const reasons: { readonly [code: string]: Key } = {
  account: "provider.account",
  blocked: "provider.blocked",
  claim: "provider.claim",
  closed: "provider.closed",
  email: "provider.email",
  many: "provider.many",
  provider: "provider.down",
  refused: "provider.refused",
  role: "provider.role",
  state: "provider.state",
};

export function ProviderButton({ label, alone, apart }: ProviderProps) {
  const [code] = useState(() => (apart ? null : place.value.query.get("error")));
  useEffect(() => {
    if (code !== null) setQuery({ error: null });
  }, []);
  useEffect(() => {
    if (!apart) return;
    const look = () => void (document.visibilityState === "visible" && resume());
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const known = code !== null && Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const back = href(code === null && place.value.path !== "/" ? place.value.path + location.search : "/");
  return (
    <div class="form">
      <FormError text={code === null ? "" : t(known ?? "provider.down")} />
      <a class={`button ${alone ? "primary" : "secondary"}`} href={`${apiBase}/session/openid?to=${encodeURIComponent(back)}`} target={apart ? "_blank" : undefined}>
        <span>{label}</span>
      </a>
      {apart && <p class="quiet-text">{t("provider.apart")}</p>}
    </div>
  );
}
