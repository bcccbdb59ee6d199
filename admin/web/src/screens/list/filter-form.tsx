// The form of one filter: which comparison, and with what.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../core/i18n";
import type { Attribute } from "../../core/schema";
import { Button, IconButton } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { Checkbox, Select, TextInput } from "../../ui/inputs";
import { toastError } from "../../ui/toasts";
import { operatorLabel, pathLabel } from "./labels";
import type { List } from "./model";
import { condition, kindOf, operatorsOf, resolve, valuesOf, type Kind } from "./operators";
import type { Filter } from "./question";
import { assigneesOf } from "./reviews";
import { rememberTitle, searchTitles, titles } from "./titles";

interface FilterFormProps {
  list: List;
  path: readonly string[];
  filter?: Filter; // that is changed
  onApply: (filter: Filter) => void;
  onBack?: () => void;
}

export function FilterForm({ list, path, filter, onApply, onBack }: FilterFormProps) {
  const attributes = resolve(path, list.type, list.site) ?? [];
  const attribute = attributes.at(-1);
  const kind = attribute ? kindOf(attribute) : null;
  const operator = useSignal(filter?.operator ?? (kind ? (operatorsOf(kind)[0] ?? "") : ""));
  const values = useSignal<readonly string[]>(filter?.values ?? []);
  if (!attribute || !kind) return null;
  const made: Filter = { path, operator: operator.value, values: valuesFor(kind, operator.value, values.value) };
  const complete = condition(made, list.type, list.site) !== null;
  return (
    <form
      class="list-filter"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) onApply(made);
      }}
    >
      <div class="list-filter-head">
        {onBack && <IconButton small icon="back" label={t("list.filter-back")} onClick={onBack} />}
        <strong>{pathLabel(attributes)}</strong>
      </div>
      <Select
        aria-label={t("list.comparison")}
        value={operator.value}
        onInput={(chosen) => (operator.value = chosen)}
        options={operatorsOf(kind).map((value) => ({ value, label: operatorLabel(value) }))}
      />
      <Values list={list} attribute={attribute} kind={kind} operator={operator.value} values={values} />
      <Button type="submit" variant="primary" aria-disabled={!complete}>
        {t("list.apply")}
      </Button>
    </form>
  );
}

/** As many of the values as an operator takes. */
function valuesFor(kind: Kind, operator: string, values: readonly string[]): readonly string[] {
  switch (valuesOf(kind, operator)) {
    case "none":
      return [];
    case "one":
      return [values[0] ?? ""];
    case "two":
      return [values[0] ?? "", values[1] ?? ""];
    case "many":
      return values.filter(Boolean);
  }
}

interface ValuesProps {
  list: List;
  attribute: Attribute;
  kind: Kind;
  operator: string;
  values: Signal<readonly string[]>;
}

function Values({ list, attribute, kind, operator, values }: ValuesProps) {
  const wanted = valuesOf(kind, operator);
  const set = (at: number, value: string) =>
    (values.value = Array.from({ length: Math.max(at + 1, values.value.length) }, (_, i) => (i === at ? value : (values.value[i] ?? ""))));
  const type = { number: "number", date: "date", moment: "date", time: "time" }[kind as string] as "number" | "date" | "time" | undefined;
  if (wanted === "none") return null;
  if (wanted === "many")
    return kind === "relation" ? <Documents list={list} attribute={attribute} values={values} /> : <Choices list={list} attribute={attribute} values={values} />;
  const input = (at: number, label: string) => (
    <TextInput
      type={type ?? "text"}
      step={kind === "number" ? "any" : undefined}
      aria-label={label}
      value={values.value[at] ?? ""}
      onInput={(value) => set(at, value)}
      autofocus={at === 0}
    />
  );
  if (wanted === "one") return input(0, t("list.value"));
  return (
    <div class="list-filter-two">
      {input(0, t("list.from"))}
      <span class="quiet-text" aria-hidden="true">
        –
      </span>
      {input(1, t("list.to"))}
    </div>
  );
}

function withValue(values: readonly string[], value: string, on: boolean): string[] {
  const others = values.filter((other) => other !== value && other !== "");
  return on ? [...others, value] : others;
}

function Choices({ list, attribute, values }: { list: List; attribute: Attribute; values: Signal<readonly string[]> }) {
  const people = useSignal<readonly { id: string; name: string }[]>([]);
  const ofPeople = attribute.name === "__assignee";
  useEffect(() => void (ofPeople && assigneesOf(list.type.uid, list.locale).then((found) => (people.value = found), toastError)), []);
  const choices = ofPeople ? people.value : (attribute.enum ?? []).map((id) => ({ id, name: attribute.choices?.[id] ?? id }));
  return (
    <fieldset class="list-filter-choices">
      <legend class="visually-hidden">{t("list.value")}</legend>
      {choices.map(({ id, name }) => (
        <Checkbox
          key={id}
          checked={values.value.includes(id)}
          onInput={(on) => {
            if (ofPeople) rememberTitle({ documentId: id, title: name });
            values.value = withValue(values.value, id, on);
          }}
        >
          {name}
        </Checkbox>
      ))}
    </fieldset>
  );
}

/** Related documents, found by their titles. */
function Documents({ list, attribute, values }: { list: List; attribute: Attribute; values: Signal<readonly string[]> }) {
  const target = list.site.types.find((type) => type.uid === attribute.target);
  if (!target) return null;
  return (
    <>
      {values.value.length > 0 && (
        <ul class="list-filter-documents">
          {values.value.map((id) => (
            <li key={id} class="chip">
              <span class="chip-text truncate">{titles.value.get(id) ?? id}</span>
              <IconButton
                small
                icon="close"
                label={t("list.remove-filter", { name: titles.value.get(id) ?? id })}
                onClick={() => (values.value = withValue(values.value, id, false))}
              />
            </li>
          ))}
        </ul>
      )}
      <Combobox
        label={target.displayName}
        placeholder={t("list.search-type", { type: target.displayName })}
        autofocus
        search={(text, signal) => searchTitles(text, target, list.locale, list.site, signal)}
        keyOf={(option) => option.documentId}
        show={(option) => option.title}
        onChoose={(option) => {
          rememberTitle(option);
          values.value = withValue(values.value, option.documentId, true);
        }}
      />
    </>
  );
}
