// Another locale beside the one that is edited: each field has its counterpart, from which
// it can be filled.

import { createContext, type ComponentChildren, type ComponentType } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { formatLocale, t } from "../../core/i18n";
import { announce } from "../../core/live-region";
import type { Attribute } from "../../core/schema";
import { Button, IconButton } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { toastError, toastUndo } from "../../ui/toasts";
import { useSheet, type FieldProps } from "../context";
import { load, type Entry, type Loaded } from "../document";
import type { Editing } from "../editing";
import { entryOf } from "../opening";
import type { FormStore } from "../form/form";
import { besideOf, openLocale, showBeside } from "./locales";
import type { CounterpartProps } from "./counterpart";

interface Beside {
  readonly editing: Editing;
  readonly locale: string;
  readonly entry: Entry;
  readonly Counterpart: ComponentType<CounterpartProps>;
}

const BesideContext = createContext<Beside | null>(null);

export function BesideProvider({ editing, children }: { editing: Editing; children: ComponentChildren }) {
  const locale = editing.type.localized ? besideOf(editing) : null;
  const [beside, setBeside] = useState<Beside | null>(null);
  const version = editing.loaded.value?.version;
  useEffect(() => {
    if (!locale) return setBeside(null);
    let left = false;
    Promise.all([load({ ...editing.place, locale }), import("./counterpart")]).then(([loaded, { Counterpart }]: [Loaded, { Counterpart: Beside["Counterpart"] }]) => {
      const entry = entryOf(loaded);
      if (!left) setBeside(entry && { editing, locale, entry, Counterpart });
    }, toastError);
    return () => void (left = true);
  }, [locale, editing, version]);
  return <BesideContext.Provider value={beside}>{children}</BesideContext.Provider>;
}

/** A field with what another locale has in its place. */
export function BesideField({ path, attribute, form, children }: FieldProps & { children: ComponentChildren }) {
  const beside = useContext(BesideContext);
  const { editing, locked } = useSheet();
  // A drawer over the page has another document.
  if (!beside || beside.editing !== editing || path.length > 1 || !isTranslated(attribute)) return <>{children}</>;
  const { Counterpart, entry, locale } = beside;
  const name = formatLocale(locale);
  const canFill = locked === null && !attribute.readOnly;
  return (
    <div class="beside-pair">
      {children}
      <section class="beside-field" lang={locale} aria-label={t("locales.in", { label: attribute.label, name })}>
        <p class="beside-label">
          <span>{name}</span>
          {canFill && <IconButton small icon="copy" label={t("locales.fill-one", { label: attribute.label, name })} onClick={() => fill(form, entry, [attribute], name)} />}
        </p>
        <Counterpart attribute={attribute} value={entry[attribute.name]} />
      </section>
    </div>
  );
}

const isTranslated = (a: Attribute): boolean => a.localized === true && a.type !== "password";

/** Takes values over, and offers the way back. */
function fill(form: FormStore, entry: Entry, attributes: readonly Attribute[], name: string) {
  form.copyFrom(
    entry,
    attributes.map((a) => a.name),
  );
  const labels = attributes.length > 3 ? t("locales.fields", { n: attributes.length }) : attributes.map((a) => a.label).join(", ");
  toastUndo(t("locales.filled", { fields: labels, name }), () => void form.undo());
}

/** What is beside, how much is missing here, and the buttons for all fields. */
export function BesideHead({ form }: { form: FormStore }) {
  const beside = useContext(BesideContext);
  const { editing, locked } = useSheet();
  if (!beside) return null;
  form.changes.value; // what is missing changes with each change
  const name = formatLocale(beside.locale);
  const attributes = editing.type.attributes.filter((a) => isTranslated(a) && !a.readOnly);
  const missing = form.beside(beside.entry, (a) => attributes.includes(a)).flatMap(({ attribute, theirs, mine }) => (theirs && !mine ? [attribute] : []));
  return (
    <div class="beside-head">
      <Icon name="globe" />
      <p>
        <strong>{t("locales.beside-of", { mine: formatLocale(editing.locale ?? ""), theirs: name })}</strong>{" "}
        <span>{missing.length > 0 ? t("locales.empty", { n: missing.length, fields: missing.map((a) => a.label).join(", ") }) : t("locales.complete")}</span>
      </p>
      <span class="beside-actions">
        {locked === null && missing.length > 0 && (
          <Button small onClick={() => fill(form, beside.entry, missing, name)}>
            {t("locales.fill-empty")}
          </Button>
        )}
        {locked === null && (
          <Button small variant="quiet" onClick={() => fill(form, beside.entry, attributes, name)}>
            {t("locales.fill-all")}
          </Button>
        )}
        <Button small variant="quiet" onClick={() => openLocale(editing, beside.locale)}>
          {t("locales.swap", { name })}
        </Button>
      </span>
      <IconButton
        small
        icon="close"
        label={t("locales.close")}
        onClick={() => {
          showBeside(editing, null);
          announce(t("locales.closed"));
        }}
      />
    </div>
  );
}
