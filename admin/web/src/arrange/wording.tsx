// What is written about one field, and when it is shown.

import { useState } from "preact/hooks";
import { t as common } from "../core/i18n";
import type { Attribute, Condition } from "../core/schema";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Select, TextArea, TextInput } from "../ui/inputs";
import { conditionOf, simpleOf, valueFor, type Simple, type Test, type Wording } from "./model";
import { t, type Key } from "./words";

interface WordingDialogProps {
  attribute: Attribute | undefined;
  name: string;
  /** The attributes that a condition can ask about. */
  others: readonly Attribute[];
  wording: Wording;
  onClose: () => void;
  onDone: (wording: Wording) => void;
}

const noPlaceholder = new Set(["boolean", "component", "dynamiczone", "media", "relation", "blocks", "richtext", "json", "date", "time", "datetime", "timestamp", "enumeration", "password"]);

export function WordingDialog({ attribute, name, others, wording, onClose, onDone }: WordingDialogProps) {
  const [words, setWords] = useState(wording);
  const set = (some: Partial<Wording>) => setWords({ ...words, ...some });
  return (
    <Dialog
      open
      title={t("words-of", { name: attribute?.label ?? name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button variant="primary" type="submit" form="arrange-words">
            {t("take")}
          </Button>
        </>
      }
    >
      <form
        id="arrange-words"
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          onDone(words);
        }}
      >
        <Field label={t("label")}>{(wired) => <TextInput {...wired} maxLength={100} value={words.label ?? ""} onInput={(label) => set({ label })} />}</Field>
        <Field label={t("hint")} help={t("hint-help")}>
          {(wired) => <TextArea {...wired} rows={2} maxLength={300} value={words.hint ?? ""} onInput={(hint) => set({ hint })} />}
        </Field>
        {attribute && !noPlaceholder.has(attribute.type) && (
          <Field label={t("placeholder")} help={t("placeholder-help")}>
            {(wired) => <TextInput {...wired} maxLength={100} value={words.placeholder ?? ""} onInput={(placeholder) => set({ placeholder })} />}
          </Field>
        )}
        <ConditionFields others={others} condition={words.visible} onChange={(visible) => set({ visible })} />
      </form>
    </Dialog>
  );
}

const tests: readonly Test[] = ["is", "is-not", "filled", "empty"];
const compared = new Set(["boolean", "enumeration", "string", "text", "email", "uid", "integer", "float", "decimal", "biginteger", "date"]);

interface ConditionFieldsProps {
  others: readonly Attribute[];
  condition: Condition | undefined;
  onChange: (condition: Condition | undefined) => void;
}

function ConditionFields({ others, condition, onChange }: ConditionFieldsProps) {
  const simple = simpleOf(condition);
  if (condition !== undefined && !simple) {
    return (
      <div>
        <p>{t("condition-other")}</p>
        <pre class="arrange-condition">{JSON.stringify(condition)}</pre>
        <Button small onClick={() => onChange(undefined)}>
          {t("condition-remove")}
        </Button>
      </div>
    );
  }
  const other = others.find(({ name }) => name === simple?.name);
  const choose = (name: string) => {
    const of = others.find((one) => one.name === name);
    if (!of) return onChange(undefined);
    const test: Test = compared.has(of.type) ? "is" : "filled";
    onChange(conditionOf({ name, test, value: of.type === "boolean" ? true : valueFor(of, of.enum?.[0] ?? "") }));
  };
  const set = (some: Partial<Simple>) => simple && onChange(conditionOf({ ...simple, ...some }));
  return (
    <fieldset class="arrange-condition-fields">
      <legend>{t("condition")}</legend>
      <Select aria-label={t("condition-attribute")} value={simple?.name ?? ""} onInput={choose} options={[{ value: "", label: t("condition-always") }, ...others.filter(({ type }) => type !== "password").map(({ name, label }) => ({ value: name, label }))]} />
      {simple && <Select aria-label={t("condition-test")} value={simple.test} onInput={(test) => set({ test: test as Test })} options={tests.filter((test) => !(test.startsWith("is") && other && !compared.has(other.type))).map((value) => ({ value, label: t(`test.${value}` as Key) }))} />}
      {simple?.test.startsWith("is") && <ValueField other={other} value={simple.value} onChange={(value) => set({ value })} />}
    </fieldset>
  );
}

function ValueField({ other, value, onChange }: { other: Attribute | undefined; value: Condition; onChange: (value: Condition) => void }) {
  const label = t("condition-value");
  const choices = other?.type === "boolean" ? ["true", "false"] : other?.enum;
  const take = (text: string) => onChange(valueFor(other, text));
  if (!choices) return <TextInput aria-label={label} value={value === null ? "" : String(value)} onInput={take} />;
  return <Select aria-label={label} value={String(value)} onInput={take} options={choices.map((one) => ({ value: one, label: other?.type === "boolean" ? t(`value.${one}` as Key) : one }))} />;
}
