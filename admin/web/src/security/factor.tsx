// The second factor of the account: whether it is on, and what can be done about it.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatDate } from "../core/i18n";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { toast, toastError } from "../ui/toasts";
import { ProofForm } from "./proof";
import { Recovery, SetUpSteps } from "./set-up";
import { t } from "./words";

interface State {
  on: boolean;
  since: string | null;
  recoveryCodes: number;
  required: boolean;
}

export function Factor() {
  const [state, setState] = useState<State | null>(null);
  const [shown, show] = useState<"set-up" | "recovery" | "off" | null>(null);
  const load = async () => setState((await request<State>("GET", "/session/second-factor")).data);
  const reload = () => void load().catch(toastError);
  useEffect(reload, []);
  const close = () => {
    show(null);
    reload();
  };
  if (!state) return null;
  const done = (text: string) => {
    toast({ kind: "done", text });
    close();
  };
  return (
    <SectionPart title={t("factor.title")} text={state.since ? onText(state.since, state.recoveryCodes) : t("factor.off-text")} actions={<Actions on={state.on} show={show} />}>
      {shown === "set-up" && (
        <Dialog open size="small" title={t("factor.set-up-title")} onClose={close}>
          <SetUpSteps done={() => done(t("factor.is-on"))} />
        </Dialog>
      )}
      {shown === "recovery" && (
        <Dialog open size="small" title={t("factor.recovery")} onClose={close}>
          <Renew done={close} />
        </Dialog>
      )}
      {shown === "off" && (
        <Dialog open size="small" title={t("factor.switch-off-title")} onClose={close}>
          <ProofForm
            withCode
            danger
            action={t("factor.switch-off")}
            done={async (body) => {
              await request("POST", "/session/second-factor/off", { body });
              done(t("factor.is-off"));
            }}
          />
        </Dialog>
      )}
    </SectionPart>
  );
}

function onText(since: string, left: number): string {
  return `${t("factor.on-text", { date: formatDate(since) })} ${t("factor.left", { n: left })}`;
}

function Actions({ on, show }: { on: boolean; show: (what: "set-up" | "recovery" | "off") => void }) {
  if (!on) {
    return (
      <Button variant="primary" icon="lock" onClick={() => show("set-up")}>
        {t("factor.set-up")}
      </Button>
    );
  }
  return (
    <>
      <Button onClick={() => show("recovery")}>{t("factor.recovery")}</Button>
      <Button onClick={() => show("off")}>{t("factor.switch-off")}</Button>
    </>
  );
}

function Renew({ done }: { done: () => void }) {
  const [codes, setCodes] = useState<string[] | null>(null);
  if (codes) return <Recovery codes={codes} done={done} />;
  return (
    <ProofForm
      withCode
      action={t("factor.recovery")}
      done={async (body) => setCodes((await request<{ recoveryCodes: string[] }>("POST", "/session/second-factor/recovery-codes", { body })).data.recoveryCodes)}
    >
      <p class="quiet-text">{t("factor.renew-text")}</p>
    </ProofForm>
  );
}
