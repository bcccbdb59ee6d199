// The form of an attribute: what it is called, what it holds, and the rules of its values.

import { useId, useState } from "preact/hooks";
import { t as common } from "../core/i18n";
import { Button } from "../ui/button";
import { Drawer } from "../ui/dialog";
import { Field } from "../ui/field";
import { Checkbox, Select, TextArea, TextInput } from "../ui/inputs";
import { inverted, sideOf, sides, sidesIn, titleOf, types, uidOf, type Attribute, type Type, type Values } from "./model";
import { t, type Key } from "./words";

const kinds = ["string", "text", "richtext", "blocks", "email", "password", "uid", "enumeration", "integer", "biginteger", "float", "decimal", "boolean", "date", "time", "datetime", "json", "media", "relation", "component", "dynamiczone"];
const numbers = ["integer", "biginteger", "float", "decimal"];
const texts = ["string", "text", "richtext", "email", "password", "uid"];
const flags = ["required", "unique", "private", "localized"] as const;

interface AttributeFormProps {
  type: Type;
  /** The one that is changed; null for a new one. */
  of: Attribute | null;
  onClose: () => void;
  onDone: (attribute: Attribute) => void;
}

export function AttributeForm({ type, of, onClose, onDone }: AttributeFormProps) {
  const id = useId();
  const [name, setName] = useState(of?.name ?? "");
  const [d, setDefinition] = useState<Values>(of?.definition ?? { type: "string" });
  const formerSide = sideOf(of?.definition);
  const [otherSide, setOtherSide] = useState(formerSide);
  const [error, setError] = useState("");
  const [sideError, setSideError] = useState("");
  const kind = String(d.type);
  const set = (key: string, value: unknown) => setDefinition({ ...d, [key]: value });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return setError(t("attribute.name-wrong"));
    if (type.attributes.some((one) => one !== of && one.name === name)) return setError(t("attribute.name-taken"));
    if (kind === "relation" && !otherSide && d.mappedBy) return setSideError(t("relation.other-stores"));
    const same = of !== null && otherSide === formerSide && d.relation === of.definition.relation && d.target === of.definition.target;
    const wanted: Values = kind === "relation" && String(d.relation) in inverted && !same ? { ...d, ...sides(d, otherSide) } : d;
    const before = of?.definition ?? {};
    const changed: Values = { ...of?.set };
    for (const key of Object.keys({ ...before, ...wanted })) if (key !== "pluginOptions" && JSON.stringify(before[key]) !== JSON.stringify(wanted[key])) changed[key] = wanted[key] ?? null;
    onDone({ was: of?.was ?? "", name, definition: wanted, set: changed });
  };
  const input = (key: string, numeric = false) => (
    <Field key={key} label={t(`rule.${key}` as Key)}>
      {(wired) => (
        <TextInput
          {...wired}
          type={numeric ? "number" : "text"}
          step="any"
          value={d[key] === undefined || d[key] === null ? "" : String(d[key])}
          onInput={(value) => set(key, value === "" ? undefined : numeric && kind !== "biginteger" ? Number(value) : value)}
        />
      )}
    </Field>
  );
  const scalar = !["media", "relation", "component", "dynamiczone"].includes(kind);
  return (
    <Drawer
      open
      title={of ? t("attribute.edit", { name: of.name }) : t("attribute.add")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button variant="primary" type="submit" form={id}>
            {t("attribute.done")}
          </Button>
        </>
      }
    >
      <form id={id} class="form" noValidate onSubmit={submit}>
        <Field label={t("attribute.name")} required errors={error ? [error] : []} help={t("attribute.name-help")}>
          {(wired) => <TextInput {...wired} mono spellcheck={false} value={name} onInput={setName} />}
        </Field>
        <Field label={t("attribute.type")}>
          {(wired) => <Select {...wired} value={kind} disabled={of !== null && !scalar} onInput={(value) => setDefinition(clean(d, value))} options={kinds.map((value) => ({ value, label: t(`kind.${value}` as Key), disabled: value === "dynamiczone" && type.kind === "component" }))} />}
        </Field>
        {kind === "relation" && <RelationFields type={type} of={of} d={d} setDefinition={setDefinition} set={set} otherSide={otherSide} setOtherSide={setOtherSide} error={sideError} />}
        {(kind === "component" || kind === "dynamiczone") && <ComponentFields kind={kind} d={d} set={set} />}
        {kind === "media" && <Checkbox checked={d.multiple === true} onInput={(on) => set("multiple", on)}>{t("rule.multiple")}</Checkbox>}
        {kind === "enumeration" && (
          <Field label={t("rule.enum")} required help={t("rule.enum-help")}>
            {(wired) => <TextArea {...wired} value={((d.enum as string[] | undefined) ?? []).join("\n")} onInput={(value) => set("enum", value.split("\n").filter((line) => line !== ""))} />}
          </Field>
        )}
        <fieldset class="types-flags">
          <legend>{t("rules")}</legend>
          {flags.map((flag) => {
            const off = (flag === "localized" && !type.localized) || (flag === "unique" && !scalar) || (flag === "required" && kind === "relation");
            return off ? null : (
              <Checkbox key={flag} checked={d[flag] === true} onInput={(on) => set(flag, on || undefined)}>
                {t(`rule.${flag}`)}
              </Checkbox>
            );
          })}
        </fieldset>
        {texts.includes(kind) && [input("minLength", true), input("maxLength", true), kind !== "uid" && input("regex")]}
        {(numbers.includes(kind) || kind === "dynamiczone" || (kind === "component" && d.repeatable === true)) && [input("min", true), input("max", true)]}
        {["string", "text", "enumeration"].includes(kind) && input("default")}
        {numbers.includes(kind) && input("default", true)}
      </form>
    </Drawer>
  );
}

/** The definition of another kind: what both kinds have stays. */
function clean(d: Values, kind: string): Values {
  const next: Values = { type: kind };
  for (const flag of flags) if (d[flag]) next[flag] = d[flag];
  if (kind === "relation") Object.assign(next, { relation: "manyToOne", target: "" });
  if (texts.includes(kind) && texts.includes(String(d.type))) for (const key of ["minLength", "maxLength", "regex", "default"]) if (d[key] !== undefined) next[key] = d[key];
  return next;
}

interface PartProps {
  d: Values;
  set: (key: string, value: unknown) => void;
}

interface RelationProps extends PartProps {
  type: Type;
  of: Attribute | null;
  setDefinition: (d: Values) => void;
  otherSide: string;
  setOtherSide: (name: string) => void;
  error: string;
}

function RelationFields({ type, of, d, set, setDefinition, otherSide, setOtherSide, error }: RelationProps) {
  const targets = types.value.filter((one) => one.kind !== "component" && !one.removed).map((one) => ({ value: uidOf(one), label: titleOf(one) }));
  const target = targets.find((one) => one.value === d.target)?.label ?? String(d.target ?? "");
  const form = String(d.relation);
  const fixed = of !== null && !(String(of.definition.relation) in inverted); // to any type
  const retarget = (value: string) => {
    if (of) setOtherSide(value === of.definition.target ? sideOf(of.definition) : "");
    setDefinition({ ...d, target: value, mappedBy: undefined, inversedBy: undefined, ...(value === of?.definition.target && sidesIn(of.definition)) });
  };
  return (
    <>
      <Field label={t("relation.target")} required help={of?.was && d.target !== of.definition.target ? t("relation.replaced") : undefined}>
        {(wired) => <Select {...wired} disabled={fixed} value={String(d.target ?? "")} onInput={retarget} options={[{ value: "", label: t("choose") }, ...targets]} />}
      </Field>
      <Field label={t("relation.form")}>
        {(wired) => (
          <Select {...wired} disabled={fixed} value={form} onInput={(value) => set("relation", value)} options={Object.keys(inverted).map((value) => ({ value, label: t(`relation.${value}` as Key, { one: titleOf(type), other: target || "…" }) }))} />
        )}
      </Field>
      {target && form in inverted && (
        <p class="types-sides" aria-hidden="true">
          <strong>{titleOf(type)}</strong>
          <span>{form.startsWith("many") ? "∞" : "1"} ⟷ {form.endsWith("Many") ? "∞" : "1"}</span>
          <strong>{target}</strong>
        </p>
      )}
      {!fixed && type.kind !== "component" && (
        <Field label={t("relation.other")} help={t("relation.other-help")} errors={error ? [error] : []}>
          {(wired) => <TextInput {...wired} mono spellcheck={false} value={otherSide} onInput={setOtherSide} />}
        </Field>
      )}
    </>
  );
}

function ComponentFields({ kind, d, set }: PartProps & { kind: string }) {
  const all = types.value.filter((one) => one.kind === "component" && !one.removed);
  const chosen = (d.components as string[] | undefined) ?? [];
  if (kind === "dynamiczone")
    return (
      <fieldset class="types-flags">
        <legend>{t("rule.components")}</legend>
        {all.map((one) => (
          <Checkbox key={uidOf(one)} checked={chosen.includes(uidOf(one))} onInput={(on) => set("components", on ? [...chosen, uidOf(one)] : chosen.filter((uid) => uid !== uidOf(one)))}>
            {titleOf(one)}
          </Checkbox>
        ))}
      </fieldset>
    );
  return (
    <>
      <Field label={t("kind.component")} required>
        {(wired) => <Select {...wired} value={String(d.component ?? "")} onInput={(value) => set("component", value)} options={[{ value: "", label: t("choose") }, ...all.map((one) => ({ value: uidOf(one), label: titleOf(one) }))]} />}
      </Field>
      <Checkbox checked={d.repeatable === true} onInput={(on) => set("repeatable", on)}>
        {t("rule.repeatable")}
      </Checkbox>
    </>
  );
}
