// The page of a webhook: where it sends to, a test of it, what has not arrived, and what was
// tried of late.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { Link } from "../core/router";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { toastError } from "../ui/toasts";
import { Attempts } from "./attempts";
import { test, type Webhook } from "./hook";
import { Waiting } from "./waiting";
import { t } from "./words";

/** How often the page looks again, in milliseconds. */
const again = 5_000;

export function Hook({ id }: { id: string }) {
  const [hook, setHook] = useState<Webhook | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => void content<Webhook>("GET", `/_webhooks/${id}`).then(({ data }) => setHook(data), toastError), [round]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setRound((n) => n + 1);
    }, again);
    return () => clearInterval(timer);
  }, []);
  if (!hook) return null;
  const look = () => setRound((n) => n + 1);
  const state = hook.enabled ? t("hooks.on") : t("hooks.off");
  return (
    <>
      <Link to="/operation/webhooks">{t("one.back")}</Link>
      <SectionPart title={hook.name} text={`${hook.url} · ${state}`} actions={<Test of={hook} />} />
      <Waiting of={hook} round={round} onResent={look} />
      <Attempts of={hook} round={round} onResent={look} />
    </>
  );
}

/** A button that sends a test, and how the last one went. */
function Test({ of: hook }: { of: Webhook }) {
  const [busy, setBusy] = useState(false);
  const [said, say] = useState<{ delivered: boolean; text: string } | null>(null);
  const send = async () => {
    setBusy(true);
    try {
      say(await test(hook));
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <>
      <span role="status" class={said && !said.delivered ? "delivery-error" : undefined}>
        {said?.text}
      </span>
      <Button icon="publish" busy={busy} onClick={() => void send()}>
        {t("hooks.test")}
      </Button>
    </>
  );
}
