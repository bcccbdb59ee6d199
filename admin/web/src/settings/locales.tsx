// The locales of the content: which there are, in which order, and what is missing in each.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { formatLocale, t as common } from "../core/i18n";
import { loadSchema } from "../core/schema";
import { FormError } from "../screens/door";
import { SectionPart, SectionTable } from "../screens/section";
import { Button, IconButton } from "../ui/button";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { moved } from "../ui/moved";
import { Sortable } from "../ui/sortable";
import { toast } from "../ui/toasts";
import { Missing } from "./missing";
import { Group, useSettings, Where, Why, type Settings } from "./shown";
import { nameOfType, t } from "./words";

type Locale = Settings["locales"][number];

/** What a change of site.json would do, as /types/plan answers. */
interface Plan {
  fingerprint: string;
  problems: { message: string; fix: string }[];
  effects: { kind: string; type: string; detail?: string; documents: number }[];
}

export function Locales() {
  const [settings, setSettings] = useSettings();
  if (!settings) return null;
  return (
    <>
      {!settings.editable && <Why />}
      <SectionPart title={t("locales.title")} text={t("locales.text")}>
        {settings.editable ? <Editor saved={settings.locales} onSaved={(locales) => setSettings({ ...settings, locales })} /> : <Table locales={settings.locales} />}
        {!settings.editable && <Where keys={["i18n.locales", "i18n.defaultLocale"]} />}
      </SectionPart>
      {settings.locales.length > 1 && <Missing />}
      <Group of={settings} name="rest" />
    </>
  );
}

function Table({ locales }: { locales: readonly Locale[] }) {
  return (
    <SectionTable shownOnly class="settings-table" columns={[t("locales.name"), t("locales.code"), t("locales.default")]}>
      {locales.map(({ code, name, isDefault }) => (
        <tr key={code}>
          <th scope="row">
            <strong>{name}</strong>
          </th>
          <td data-label={t("locales.code")}>
            <code>{code}</code>
          </td>
          <td data-label={t("locales.default")}>{isDefault ? t("locales.is-default") : "–"}</td>
        </tr>
      ))}
    </SectionTable>
  );
}

function Editor({ saved, onSaved }: { saved: readonly Locale[]; onSaved: (locales: Locale[]) => void }) {
  const [list, setList] = useState(saved);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const change = (code: string, to: Partial<Locale>) => setList(list.map((one) => (one.code === code ? { ...one, ...to } : to.isDefault ? { ...one, isDefault: false } : one)));
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    const refused = await store(list).catch((wrong: unknown) => (wrong instanceof Error ? wrong.message : String(wrong)));
    setError(refused);
    setBusy(false);
    if (refused) return;
    await loadSchema();
    onSaved([...list]);
    toast({ kind: "done", text: t("locales.saved") });
  };
  const changed = JSON.stringify(list) !== JSON.stringify(saved);
  return (
    <>
      <FormError text={error} />
      <form id="locales" onSubmit={(event) => void save(event)}>
        <Sortable class="arrange-lines" label={t("locales.title")} items={list} keyOf={({ code }) => code} nameOf={({ name }) => name} onMove={(from, to) => setList(moved(list, from, to))}>
          {({ code, name, isDefault }, handle) => (
            <div class="arrange-line locale-line">
              {handle}
              <code>{code}</code>
              <TextInput aria-label={t("locales.name-of", { code })} maxLength={50} value={name} onInput={(to) => change(code, { name: to })} />
              <label class="checkbox">
                <input type="radio" name="default-locale" aria-label={t("locales.default-of", { name })} checked={isDefault} onInput={() => change(code, { isDefault: true })} />
                <span>{t("locales.default")}</span>
              </label>
              <IconButton icon="trash" label={t("locales.remove", { name })} disabled={isDefault} onClick={() => setList(list.filter((one) => one.code !== code))} />
            </div>
          )}
        </Sortable>
      </form>
      <Adding list={list} onAdd={(locale) => setList([...list, locale])} />
      <div class="locale-actions">
        <Button variant="primary" type="submit" form="locales" busy={busy} disabled={!changed}>
          {t("locales.save")}
        </Button>
        {changed && (
          <Button variant="quiet" onClick={() => setList(saved)}>
            {common("cancel")}
          </Button>
        )}
      </div>
    </>
  );
}

/** The form that adds a locale by its code; its name is the usual one until somebody changes it. */
function Adding({ list, onAdd }: { list: readonly Locale[]; onAdd: (locale: Locale) => void }) {
  const [code, setCode] = useState("");
  const [error, setError] = useState("");
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const [language, ...rest] = code.trim().split(/[-_]/);
    const wanted = [language!.toLowerCase(), ...rest].join("-");
    if (!/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(wanted)) return setError(t("locales.code-help"));
    if (list.some((one) => one.code === wanted)) return setError(t("locales.there"));
    setError("");
    setCode("");
    onAdd({ code: wanted, name: `${formatLocale(wanted)} (${wanted})`, isDefault: false });
  };
  return (
    <form class="locale-add" noValidate onSubmit={add}>
      <Field label={t("locales.new")} help={t("locales.code-help")} errors={error ? [error] : []}>
        {(wired) => <TextInput {...wired} mono spellcheck={false} maxLength={35} value={code} onInput={setCode} />}
      </Field>
      <Button type="submit" icon="plus">
        {t("locales.add")}
      </Button>
    </form>
  );
}

/** Stores locales in site.json, and returns what prevents it, or "". */
async function store(list: readonly Locale[]): Promise<string> {
  const change = { types: [], locales: { list: list.map(({ code, name }) => ({ code, name })), default: list.find((one) => one.isDefault)?.code ?? "" } };
  const { data: plan } = await request<Plan>("POST", "/types/plan", { body: change });
  const stranded = plan.effects.filter(({ kind }) => kind === "stranded");
  if (stranded.length > 0) return stranded.map(({ type, detail, documents }) => t("locales.stranded", { n: documents, type: nameOfType(type), locale: formatLocale(detail ?? "") })).join(" ");
  if (plan.problems.length > 0) return plan.problems.map(({ message, fix }) => `${message}. ${fix}`).join(" ");
  await request("POST", "/types/apply", { body: { change, fingerprint: plan.fingerprint } });
  return "";
}
