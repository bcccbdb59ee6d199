// What is shown: set-up, sign-in, or the admin.

import { useEffect } from "preact/hooks";
import { t } from "../core/i18n";
import { place } from "../core/router";
import { loadSchema, schema } from "../core/schema";
import { loadPreferences, session } from "../core/session";
import { Questions } from "../ui/dialog";
import { toastError, Toasts } from "../ui/toasts";
import { Palette } from "./palette";
import { SetUp } from "./setup";
import { Shell } from "./shell";
import { SignIn, SignInAgain } from "./signin";

export function App() {
  return (
    <>
      {place.value.path === "/setup" ? <SetUp /> : <Admin />}
      <Questions />
      <SignInAgain />
      <Toasts />
    </>
  );
}

function Admin() {
  const who = session.value?.account.id;
  useEffect(() => {
    if (who) Promise.all([loadSchema(), loadPreferences()]).catch(toastError);
  }, [who]);
  if (session.value === undefined) return null;
  if (session.value === null) return <SignIn />;
  if (!schema.value) return <p class="visually-hidden">{t("loading")}</p>;
  return (
    <>
      <Shell />
      <Palette />
    </>
  );
}
