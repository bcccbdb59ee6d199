// The accounts of the admin: adding, changing and removing them, and links for passwords.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { account, session } from "../core/session";
import { Avatar } from "../screens/account";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Menu } from "../ui/menu";
import { lazy } from "../ui/lazy";
import { toast, toastError } from "../ui/toasts";
import type { AssistantsOfProps } from "../assistants/others";
import { AccountForm, type AccountLine } from "./account-form";
import type { RoleLine } from "./rights";
import { ShownOnce } from "./shown-once";
import { t } from "./words";

/** A link with which somebody chooses a password. */
interface ResetLink {
  /** At this host. */
  path: string;
  expiresAt: string;
}

/** A link that was sent by mail, or else is shown. */
interface Invitation {
  mailed: boolean;
  path: string | null;
  expiresAt: string;
}

type Shown = { form: AccountLine | null } | { link: ResetLink; of: AccountLine } | { assistants: AccountLine } | null;

const { Lazy: AssistantsOf } = lazy<AssistantsOfProps>(async () => ({ default: (await import("../assistants/page")).AssistantsOf }));

export function Accounts() {
  const [accounts, setAccounts] = useState<AccountLine[]>([]);
  const [roles, setRoles] = useState<RoleLine[]>([]);
  const [shown, show] = useState<Shown>(null);

  const passwords = session.value?.passwords ?? true;

  const load = async () => {
    const [people, named] = await Promise.all([request<AccountLine[]>("GET", "/accounts"), request<RoleLine[]>("GET", "/roles")]);
    setAccounts(people.data);
    setRoles(named.data);
  };
  useEffect(() => void load().catch(toastError), []);

  const makeLink = async (of: AccountLine) => {
    const { data } = await request<ResetLink>("POST", `/accounts/${of.id}/reset-link`);
    show({ link: data, of });
  };
  const invite = async (of: AccountLine) => {
    const { data } = await request<Invitation>("POST", `/accounts/${of.id}/invitation`);
    if (data.path !== null) return show({ link: { path: data.path, expiresAt: data.expiresAt }, of });
    toast({ kind: "done", text: t("accounts.mailed", { email: of.email, when: formatDateTime(data.expiresAt) }) });
    show(null);
  };
  const remove = async (one: AccountLine) => {
    const { name } = one;
    const sure = await confirm({ title: t("accounts.remove-title", { name }), body: t("accounts.remove-text", { name }), action: t("accounts.remove"), danger: true });
    if (!sure) return;
    await request("DELETE", `/accounts/${one.id}`);
    toast({ kind: "done", text: t("accounts.removed", { name }) });
    await load();
  };
  const setBlocked = async (one: AccountLine, blocked: boolean) => {
    const { name } = one;
    const sure = !blocked || (await confirm({ title: t("accounts.block-title", { name }), body: t("accounts.block-text", { name }), action: t("accounts.block"), danger: true }));
    if (!sure) return;
    await request("PUT", `/accounts/${one.id}`, { body: { blocked } });
    toast({ kind: "done", text: t(blocked ? "accounts.blocked-done" : "accounts.unblocked", { name }) });
    await load();
  };
  const unlink = async (one: AccountLine) => {
    const { name } = one;
    const sure = await confirm({ title: t("accounts.unlink-title", { name }), body: t("accounts.unlink-text", { name }), action: t("accounts.unlink"), danger: true });
    if (!sure) return;
    await request("PUT", `/accounts/${one.id}`, { body: { openid: false } });
    toast({ kind: "done", text: t("accounts.unlinked", { name }) });
    await load();
  };
  const dropFactor = async (one: AccountLine) => {
    const { name } = one;
    const sure = await confirm({ title: t("accounts.factor-title", { name }), body: t("accounts.factor-text", { name }), action: t("accounts.factor-reset"), danger: true });
    if (!sure) return;
    await request("DELETE", `/accounts/${one.id}/second-factor`);
    toast({ kind: "done", text: t("accounts.factor-removed", { name }) });
    await load();
  };
  const saved = async (one: AccountLine, isNew: boolean) => {
    await load();
    if (isNew && passwords) return invite(one);
    toast({ kind: "done", text: t("accounts.saved", { name: one.name }) });
    show(null);
  };
  return (
    <SectionPart
      title={t("accounts.title")}
      text={t("accounts.text")}
      actions={
        <Button variant="primary" icon="plus" onClick={() => show({ form: null })}>
          {t("accounts.add")}
        </Button>
      }
    >
      <SectionTable columns={[t("accounts.name"), t("accounts.role"), t("accounts.last")]}>
        {accounts.map((one) => (
          <tr key={one.id}>
            <th scope="row">
              <AccountName of={one} />
            </th>
            <td data-label={t("accounts.role")}>{one.roles.map((role) => role.name).join(", ")}</td>
            <td data-label={t("accounts.last")} class="quiet-text">
              <LastSeen of={one} />
            </td>
            <td class="actions">
              <Menu
                label={t("accounts.actions", { name: one.name })}
                icon="more"
                iconOnly
                align="end"
                items={[
                  { label: t("accounts.edit"), icon: "edit", onSelect: () => show({ form: one }) },
                  ...(passwords ? [{ label: t("accounts.link"), icon: "link" as const, onSelect: () => void makeLink(one).catch(toastError) }] : []),
                  ...(passwords && session.value?.mails ? [{ label: t("accounts.mail"), icon: "link" as const, onSelect: () => void invite(one).catch(toastError) }] : []),
                  ...(session.value?.assistants ? [{ label: t("accounts.assistants"), icon: "spark" as const, onSelect: () => show({ assistants: one }) }] : []),
                  ...(one.openid ? [{ label: t("accounts.unlink"), icon: "link" as const, onSelect: () => void unlink(one).catch(toastError) }] : []),
                  ...((one.active || one.openid) && one.id !== account.value?.id
                    ? [{ label: t("accounts.factor"), icon: "lock" as const, onSelect: () => void dropFactor(one).catch(toastError) }]
                    : []),
                  "line",
                  {
                    label: t(one.blocked ? "accounts.unblock" : "accounts.block"),
                    icon: "lock",
                    disabled: one.id === account.value?.id,
                    onSelect: () => void setBlocked(one, !one.blocked).catch(toastError),
                  },
                  { label: t("accounts.remove"), icon: "trash", danger: true, disabled: one.id === account.value?.id, onSelect: () => void remove(one).catch(toastError) },
                ]}
              />
            </td>
          </tr>
        ))}
      </SectionTable>
      {shown && "form" in shown && <AccountForm of={shown.form} roles={roles} onClose={() => show(null)} onSaved={saved} />}
      {shown && "assistants" in shown && <AssistantsOf id={shown.assistants.id} name={shown.assistants.name} onClose={() => show(null)} />}
      {shown && "link" in shown && <PasswordLink link={shown.link} name={shown.of.name} onClose={() => show(null)} />}
    </SectionPart>
  );
}

function PasswordLink({ link, name, onClose }: { link: ResetLink; name: string; onClose: () => void }) {
  const text = t("link.text", { name, when: formatDateTime(link.expiresAt) });
  return <ShownOnce title={t("link.title", { name })} text={text} label={t("link.label")} value={new URL(link.path, location.href).href} onClose={onClose} />;
}

function AccountName({ of }: { of: AccountLine }) {
  return (
    <span class="people-name">
      <Avatar name={of.name} />
      <span>
        <strong>{of.name}</strong>
        {of.id === account.value?.id && <span class="quiet-text"> ({t("accounts.you")})</span>}
        <span class="quiet-text people-email">{of.email}</span>
        {of.openid && <span class="quiet-text people-email">{t("accounts.openid")}</span>}
      </span>
    </span>
  );
}

function LastSeen({ of }: { of: AccountLine }) {
  if (of.blocked) return <>{t("accounts.blocked")}</>;
  if (!of.active && !of.openid) return <>{t(session.value?.passwords ? "accounts.invited" : "accounts.never")}</>;
  if (of.lastUsedAt === null) return <>{t("accounts.never")}</>;
  return (
    <time dateTime={of.lastUsedAt} data-tip={formatDateTime(of.lastUsedAt)}>
      {formatAgo(of.lastUsedAt)}
    </time>
  );
}
