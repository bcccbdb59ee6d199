// The users of the site: finding, making, changing, blocking and removing them.

import { useEffect, useRef, useState } from "preact/hooks";
import { content, type QueryValue } from "../core/api";
import { formatDateTime } from "../core/i18n";
import { may, schema } from "../core/schema";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { TextInput } from "../ui/inputs";
import { Menu } from "../ui/menu";
import { toast, toastError } from "../ui/toasts";
import type { SiteRole } from "./permissions";
import { UserForm, type User } from "./user-form";
import { t } from "./words";

const atOnce = 50;

export function Users() {
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(atOnce);
  const [found, setFound] = useState<{ users: User[]; total: number } | null>(null);
  const [roles, setRoles] = useState<SiteRole[]>([]);
  const [shown, show] = useState<{ user: User | null } | null>(null);
  const asked = useRef(0);
  const load = async () => {
    const question = ++asked.current;
    const users = await find(text.trim(), limit);
    if (question === asked.current) setFound(users); // else more was typed meanwhile
  };
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(toastError), text ? 60 : 0);
    return () => clearTimeout(timer);
  }, [text, limit]);
  useEffect(() => {
    content<{ roles: SiteRole[] }>("GET", "/users-permissions/roles").then(
      ({ data }) => setRoles(data.roles.filter((role) => role.type !== "public")),
      () => undefined, // who may not list them does not choose one
    );
  }, []);
  const type = schema.value?.users;
  if (!found || !type) return null;
  const add = may(type, "create") && (
    <Button variant="primary" icon="plus" onClick={() => show({ user: null })}>
      {t("users.add")}
    </Button>
  );
  return (
    <SectionPart title={t("users.title")} text={t("users.text")} actions={add}>
      <TextInput class="permission-filter" type="search" aria-label={t("users.search")} placeholder={t("users.search")} value={text} onInput={setText} />
      {found.users.length === 0 ? <Empty icon="person" title={text ? t("users.none-found") : t("users.none")} /> : <UserTable users={found.users} onEdit={(user) => show({ user })} onChanged={load} />}
      {found.users.length < found.total && (
        <Button onClick={() => setLimit(limit + atOnce)}>{t("users.more", { n: found.total - found.users.length })}</Button>
      )}
      {shown && (
        <UserForm
          user={shown.user}
          roles={roles}
          onClose={() => show(null)}
          onSaved={async () => {
            show(null);
            await load();
          }}
        />
      )}
    </SectionPart>
  );
}

async function find(text: string, limit: number): Promise<{ users: User[]; total: number }> {
  const filters: QueryValue = text ? { $or: ["username", "email"].filter(isSeen).map((name) => ({ [name]: { $containsi: text } })) } : undefined;
  const [list, count] = await Promise.all([
    content<User[]>("GET", "/users", { query: { filters, sort: "id:desc", limit, populate: isSeen("role") ? ["role"] : undefined } }),
    content<number>("GET", "/users/count", { query: { filters } }),
  ]);
  return { users: list.data, total: count.data };
}

/** Whether the account sees an attribute of users. */
export function isSeen(name: string): boolean {
  return schema.value?.users?.attributes.some((attribute) => attribute.name === name) ?? false;
}

interface UserTableProps {
  users: readonly User[];
  onEdit: (user: User) => void;
  onChanged: () => Promise<void>;
}

function UserTable({ users, onEdit, onChanged }: UserTableProps) {
  return (
    <SectionTable columns={[t("accounts.name"), t("accounts.role"), t("users.since")]}>
      {users.map((user) => (
        <tr key={user.id}>
          <th scope="row">
            <strong>{user.username ?? user.id}</strong>
            <UserState of={user} />
            <span class="quiet-text people-email">{user.email}</span>
          </th>
          <td data-label={t("accounts.role")}>{user.role?.name}</td>
          <td data-label={t("users.since")} class="quiet-text">
            {user.createdAt && formatDateTime(user.createdAt)}
          </td>
          <td class="actions">
            <UserMenu user={user} onEdit={() => onEdit(user)} onChanged={onChanged} />
          </td>
        </tr>
      ))}
    </SectionTable>
  );
}

function UserState({ of }: { of: User }) {
  const states = [of.blocked && t("users.blocked"), of.confirmed === false && t("users.unconfirmed")].filter(Boolean);
  return states.length > 0 ? <span class="quiet-text"> · {states.join(", ")}</span> : null;
}

function UserMenu({ user, onEdit, onChanged }: { user: User; onEdit: () => void; onChanged: () => Promise<void> }) {
  const type = schema.value?.users;
  if (!type || !(may(type, "update") || may(type, "delete"))) return null;
  const name = user.username ?? String(user.id);
  const block = async () => {
    await content("PUT", `/users/${user.id}`, { body: { blocked: !user.blocked } });
    toast({ kind: "done", text: user.blocked ? t("users.was-unblocked", { name }) : t("users.was-blocked", { name }) });
    await onChanged();
  };
  const remove = async () => {
    if (!(await confirm({ title: t("users.remove-title", { name }), body: t("users.remove-text"), action: t("users.remove"), danger: true }))) return;
    await content("DELETE", `/users/${user.id}`);
    toast({ kind: "done", text: t("users.removed", { name }) });
    await onChanged();
  };
  return (
    <Menu
      label={t("accounts.actions", { name })}
      icon="more"
      iconOnly
      align="end"
      items={[
        { label: t("accounts.edit"), icon: "edit", disabled: !may(type, "update"), onSelect: onEdit },
        { label: user.blocked ? t("users.unblock") : t("users.block"), icon: "lock", disabled: !may(type, "update") || !isSeen("blocked"), onSelect: () => void block().catch(toastError) },
        "line",
        { label: t("users.remove"), icon: "trash", danger: true, disabled: !may(type, "delete"), onSelect: () => void remove().catch(toastError) },
      ]}
    />
  );
}
