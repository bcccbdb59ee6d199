// Webhooks: making, changing and testing them, and what has not arrived.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { copyText } from "../core/clipboard";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm, Dialog } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { Menu } from "../ui/menu";
import { toast, toastError } from "../ui/toasts";
import { Deliveries } from "./deliveries";
import { WebhookForm } from "./webhook-form";
import { t } from "./words";

export interface Webhook {
  id: string;
  name: string;
  url: string;
  /** Empty for all. */
  events: string[];
  types: string[];
  enabled: boolean;
  /** It is one of site.json, and changed there. */
  managed: boolean;
  waiting: number;
  setAside: number;
  /** Only of one that was just made. */
  secret?: string;
}

/** How a receiver answered a test. */
interface Trial {
  delivered: boolean;
  status?: number;
  error?: string;
  milliseconds: number;
}

type Shown = { form: Webhook | null } | { secret: string; name: string } | { deliveries: Webhook } | null;

export function Webhooks() {
  const [hooks, setHooks] = useState<Webhook[] | null>(null);
  const [shown, show] = useState<Shown>(null);
  const load = async () => setHooks((await content<Webhook[]>("GET", "/_webhooks")).data);
  useEffect(() => void load().catch(toastError), []);

  const close = () => {
    show(null);
    void load().catch(toastError);
  };
  const saved = async (hook: Webhook) => {
    await load();
    show(hook.secret ? { secret: hook.secret, name: hook.name } : null);
    if (!hook.secret) toast({ kind: "done", text: t("hooks.saved", { name: hook.name }) });
  };
  const test = async ({ id, name }: Webhook) => {
    const { data } = await content<Trial>("POST", `/_webhooks/${id}/test`);
    const said = data.status ? String(data.status) : (data.error ?? "");
    if (data.delivered) toast({ kind: "done", text: t("hooks.tested", { name, status: said, n: data.milliseconds }) });
    else toastError(new Error(t("hooks.test-failed", { name, said: data.error ?? said })));
  };
  const remove = async ({ id, name }: Webhook) => {
    if (!(await confirm({ title: t("hooks.remove-title", { name }), body: t("hooks.remove-text"), action: t("hooks.remove"), danger: true }))) return;
    await content("DELETE", `/_webhooks/${id}`);
    toast({ kind: "done", text: t("hooks.removed", { name }) });
    await load();
  };
  const add = (
    <Button variant="primary" icon="plus" onClick={() => show({ form: null })}>
      {t("hooks.add")}
    </Button>
  );
  return (
    <SectionPart title={t("hooks.title")} text={t("hooks.text")} actions={hooks?.length ? add : undefined}>
      {hooks?.length === 0 && (
        <Empty icon="link" title={t("hooks.none")} action={add}>
          {t("hooks.none-text")}
        </Empty>
      )}
      {hooks && hooks.length > 0 && (
        <SectionTable columns={[t("hooks.name"), t("hooks.events"), t("hooks.state")]}>
          {hooks.map((hook) => (
            <HookRow
              key={hook.id}
              of={hook}
              onEdit={() => show({ form: hook })}
              onTest={() => void test(hook).catch(toastError)}
              onDeliveries={() => show({ deliveries: hook })}
              onRemove={() => void remove(hook).catch(toastError)}
            />
          ))}
        </SectionTable>
      )}
      {shown && "form" in shown && <WebhookForm of={shown.form} onClose={() => show(null)} onSaved={saved} />}
      {shown && "secret" in shown && <Secret name={shown.name} value={shown.secret} onClose={() => show(null)} />}
      {shown && "deliveries" in shown && <Deliveries of={shown.deliveries} onClose={close} />}
    </SectionPart>
  );
}

interface HookRowProps {
  of: Webhook;
  onEdit: () => void;
  onTest: () => void;
  onDeliveries: () => void;
  onRemove: () => void;
}

function HookRow({ of: hook, onEdit, onTest, onDeliveries, onRemove }: HookRowProps) {
  const late = hook.waiting + hook.setAside;
  return (
    <tr>
      <th scope="row">
        <strong>{hook.name}</strong>
        {hook.managed && <span class="quiet-text"> ({t("hooks.managed")})</span>}
        <span class="quiet-text backup-name">{hook.url}</span>
      </th>
      <td data-label={t("hooks.events")}>{hook.events.length === 0 ? t("hooks.all-events") : hook.events.join(", ")}</td>
      <td data-label={t("hooks.state")}>
        {hook.enabled ? t("hooks.on") : t("hooks.off")}
        {late > 0 && <span class="audit-refused">{t("hooks.late", { n: late })}</span>}
      </td>
      <td class="actions">
        <Menu
          label={t("hooks.actions", { name: hook.name })}
          icon="more"
          iconOnly
          align="end"
          items={[
            { label: t("hooks.test"), icon: "publish", onSelect: onTest },
            { label: t("hooks.deliveries"), icon: "clock", onSelect: onDeliveries },
            { label: t("hooks.edit"), icon: "edit", disabled: hook.managed, onSelect: onEdit },
            "line",
            { label: t("hooks.remove"), icon: "trash", danger: true, disabled: hook.managed, onSelect: onRemove },
          ]}
        />
      </td>
    </tr>
  );
}

/** The secret with which deliveries are signed, which is shown once. */
function Secret({ name, value, onClose }: { name: string; value: string; onClose: () => void }) {
  const copy = async () => {
    await copyText(value);
    toast({ kind: "done", text: t("hooks.secret-copied") });
  };
  const footer = (
    <>
      <Button icon="copy" onClick={() => void copy().catch(toastError)}>
        {t("hooks.secret-copy")}
      </Button>
      <Button variant="primary" onClick={onClose}>
        {t("hooks.done")}
      </Button>
    </>
  );
  return (
    <Dialog open stays size="small" title={t("hooks.secret-title", { name })} onClose={onClose} footer={footer}>
      <p>{t("hooks.secret-text")}</p>
      <Field label={t("hooks.secret")}>{(wired) => <TextInput {...wired} readOnly mono value={value} onInput={() => undefined} onFocus={(event) => event.currentTarget.select()} />}</Field>
    </Dialog>
  );
}
