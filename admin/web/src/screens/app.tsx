// What is shown: set-up, sign-in, or the admin.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../core/i18n";
import { place } from "../core/router";
import { loadSchema, schema } from "../core/schema";
import { loadPreferences, openSession, session } from "../core/session";
import { Button } from "../ui/button";
import { Questions } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { lazy } from "../ui/lazy";
import { Toasts } from "../ui/toasts";
import { SetUp } from "./setup";
import { Shell } from "./shell";
import { SignIn, SignInAgain } from "./signin";

const { Lazy: FactorDoor } = lazy(async () => ({ default: (await import("../security/page")).FactorDoor }));

const failure = signal<string | null>(null);

let ahead = false; // what every page needs is there, and nobody has been shown it yet

/** Asks for what every page needs before it is known who is signed in. */
export async function loadAhead(): Promise<void> {
  const [, remembered] = await Promise.all([loadSchema({ quiet: true }), loadPreferences({ quiet: true })]);
  ahead = remembered;
}

/** Loads what every page needs, for who is signed in, unless it has just been loaded. */
async function load(who: string | undefined) {
  failure.value = null;
  try {
    if (session.peek() === undefined) await openSession();
    else if (who && !ahead) await Promise.all([loadSchema(), loadPreferences()]);
    if (who) ahead = false;
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}

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
  const needsFactor = session.value?.needsSecondFactor;
  const who = needsFactor ? undefined : session.value?.account.id;
  useEffect(() => void load(who), [who]);
  if (failure.value !== null) return <NotLoaded reason={failure.value} retry={() => void load(who)} />;
  if (session.value === undefined) return null;
  if (session.value === null) return <SignIn />;
  if (needsFactor) return <FactorDoor />;
  return schema.value ? <Shell /> : null;
}

function NotLoaded({ reason, retry }: { reason: string; retry: () => void }) {
  return (
    <main>
      <Empty
        page
        icon="offline"
        title={t("shell.not-loaded")}
        action={
          <Button variant="primary" onClick={retry}>
            {t("retry")}
          </Button>
        }
      >
        {reason}
      </Empty>
    </main>
  );
}
