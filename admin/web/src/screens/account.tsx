// The account: theme, language, password, signing out.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { request } from "../core/api";
import { useCommands } from "../core/commands";
import { language, languages, t, type Language } from "../core/i18n";
import { navigate } from "../core/router";
import { account, chooseLanguage, session, signOut } from "../core/session";
import { setTheme, theme } from "../core/theme";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { PasswordInput } from "../ui/inputs";
import { Menu } from "../ui/menu";
import { toast, toastError } from "../ui/toasts";
import { FormError } from "./door";
import { explainAt, useForm } from "./form";

const changingPassword = signal(false);

function themes() {
  return [
    { key: "system", label: t("shell.theme-system"), icon: "system" },
    { key: "light", label: t("shell.theme-light"), icon: "sun" },
    { key: "dark", label: t("shell.theme-dark"), icon: "moon" },
  ] as const;
}

const codes = Object.keys(languages) as Language[];

/** The page that builds queries, in the name of the account. */
/** Opens the page to try the API, in the language and the theme that are chosen here. */
const openExplorer = () => {
  const look = new URLSearchParams({ language: language.peek(), ...(theme.peek() !== "system" && { theme: theme.peek() }) });
  window.open(`/admin/api/v1/content/docs?${look.toString()}`, "_blank", "noopener");
};

/** Whether the account has a password that signs in, and can have another one. */
const hasPassword = () => session.value?.password && session.value.passwords;

const openSecurity = () => void navigate("/security");

const openAssistants = () => void navigate("/assistants");

function leave() {
  signOut().catch(toastError);
}

/** What the menu of the account does is in the command palette as well. */
export function useAccountCommands() {
  useCommands([
    ...themes().map(({ key, label, icon }) => ({ label: `${t("shell.theme")}: ${label}`, icon, run: () => setTheme(key) })),
    ...codes.map((code) => ({ label: `${t("shell.language")}: ${languages[code]}`, icon: "globe" as const, run: () => void chooseLanguage(code) })),
    ...(hasPassword() ? [{ label: t("password.change"), icon: "lock" as const, run: () => void (changingPassword.value = true) }] : []),
    { label: t("shell.security"), icon: "settings", run: openSecurity },
    ...(session.value?.assistants ? [{ label: t("shell.assistants"), icon: "spark" as const, run: openAssistants }] : []),
    { label: t("shell.explorer"), icon: "code", run: openExplorer },
    { label: t("shell.signout"), icon: "signout", run: leave },
  ]);
}

export function AccountMenu() {
  const who = account.value;
  if (!who) return null;
  return (
    <Menu
      label={t("shell.account", { name: who.name })}
      button={{ variant: "quiet", class: "account-button" }}
      items={[
        { group: t("shell.theme"), items: themes().map(({ key, label }) => ({ label, checked: theme.value === key, onSelect: () => setTheme(key) })) },
        {
          group: t("shell.language"),
          items: codes.map((code) => ({ label: languages[code], lang: code, checked: language.value === code, onSelect: () => void chooseLanguage(code) })),
        },
        "line",
        ...(hasPassword() ? [{ label: t("password.change"), icon: "lock" as const, onSelect: () => void (changingPassword.value = true) }] : []),
        { label: t("shell.security"), icon: "settings", onSelect: openSecurity },
        ...(session.value?.assistants ? [{ label: t("shell.assistants"), icon: "spark" as const, onSelect: openAssistants }] : []),
        { label: t("shell.explorer"), icon: "code", onSelect: openExplorer },
        { label: t("shell.signout"), icon: "signout", onSelect: leave },
      ]}
    >
      <Avatar name={who.name} />
      <span class="truncate">{who.name}</span>
    </Menu>
  );
}

/** The first letters of a name in a circle, beside the name itself. */
export function Avatar({ name }: { name: string }) {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "").join("");
  return (
    <span class="avatar" aria-hidden="true" data-letters={letters.toUpperCase()} />
  );
}

export function PasswordDialog() {
  const close = () => (changingPassword.value = false);
  return (
    <Dialog open={changingPassword.value} size="small" title={t("password.change")} onClose={close}>
      <PasswordForm done={close} />
    </Dialog>
  );
}

function PasswordForm({ done }: { done: () => void }) {
  const [current, setCurrent] = useState("");
  const [chosen, setChosen] = useState("");
  const { errors, busy, submit } = useForm({
    check: () => ({
      ...(current === "" && { current: t("signin.password-missing") }),
      ...([...chosen].length < 8 && { password: t("setup.password-short") }),
    }),
    send: async () => {
      await request("PUT", "/session/password", { body: { current, password: chosen } });
      done();
      toast({ kind: "done", text: t("password.changed") });
    },
    explain: explainAt(["current", "password"]),
  });
  return (
    <form class="form" noValidate onSubmit={submit}>
      <FormError text={errors.form ?? ""} />
      <Field label={t("password.current")} errors={errors.current ? [errors.current] : []}>
        {(wired) => <PasswordInput {...wired} autocomplete="current-password" value={current} onInput={setCurrent} autofocus />}
      </Field>
      <Field label={t("password.new")} help={t("setup.password-help")} errors={errors.password ? [errors.password] : []}>
        {(wired) => <PasswordInput {...wired} autocomplete="new-password" value={chosen} onInput={setChosen} />}
      </Field>
      <Button variant="primary" type="submit" busy={busy}>
        {t("password.change")}
      </Button>
    </form>
  );
}
