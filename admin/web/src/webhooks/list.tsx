// The list of webhooks: making, changing, testing and removing them.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { copyText } from "../core/clipboard";
import { Link, navigate } from "../core/router";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm, Dialog } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { Menu } from "../ui/menu";
import { toast, toastError } from "../ui/toasts";
import { WebhookForm } from "./form";
import { test, type Webhook } from "./hook";
import { t } from "./words";

type Shown = { form: Webhook | null } | { secret: string; name: string } | null;

export function Webhooks() {
  const [hooks, setHooks] = useState<Webhook[] | null>(null);
  const [shown, show] = useState<Shown>(null);
  const load = async () => setHooks((await content<Webhook[]>("GET", "/_webhooks")).data);
  useEffect(() => void load().catch(toastError), []);

  const saved = async (hook: Webhook) => {
    await load();
    show(hook.secret ? { secret: hook.secret, name: hook.name } : null);
    if (!hook.secret) toast({ kind: "done", text: t("hooks.saved", { name: hook.name }) });
  };
  const tryOut = async (hook: Webhook) => {
    const { delivered, text } = await test(hook);
    const said = t("test.of", { name: hook.name, said: text });
    if (delivered) toast({ kind: "done", text: said });
    else toastError(new Error(said));
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
              onTest={() => void tryOut(hook).catch(toastError)}
              onRemove={() => void remove(hook).catch(toastError)}
            />
          ))}
        </SectionTable>
      )}
      {shown && "form" in shown && <WebhookForm of={shown.form} onClose={() => show(null)} onSaved={saved} />}
      {shown && "secret" in shown && <Secret name={shown.name} value={shown.secret} onClose={() => show(null)} />}
    </SectionPart>
  );
}

interface HookRowProps {
  of: Webhook;
  onEdit: () => void;
  onTest: () => void;
  onRemove: () => void;
}

function HookRow({ of: hook, onEdit, onTest, onRemove }: HookRowProps) {
  const late = hook.waiting + hook.setAside;
  const path = `/operation/webhooks/${hook.id}`;
  return (
    <tr>
      <th scope="row">
        <Link to={path}>
          <strong>{hook.name}</strong>
        </Link>
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
            { label: t("hooks.deliveries"), icon: "clock", onSelect: () => void navigate(path) },
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
