// The page of a type: its names and options, and its attributes in their order.

import { useState } from "preact/hooks";
import { Link, navigate } from "../core/router";
import { SectionPart } from "../screens/section";
import { Button, IconButton } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Checkbox, TextInput } from "../ui/inputs";
import { moved } from "../ui/moved";
import { Sortable } from "../ui/sortable";
import { AttributeForm } from "./attribute-form";
import { namePattern, putAttribute, renameNew, titleOf, types, uidOf, update, type Attribute, type Type } from "./model";
import { t, type Key } from "./words";

export function TypeForm({ type, editable }: { type: Type; editable: boolean }) {
  const [form, setForm] = useState<{ of: Attribute | null } | null>(null);
  const [name, setName] = useState(type.name);
  const wrong = !namePattern(type.kind).test(name) ? t("type.name-wrong") : types.value.some((one) => one.id !== type.id && one.name === name && !one.removed) ? t("type.taken") : "";
  const rename = () => {
    if (wrong || name === type.name) return;
    if (type.was) change({ name });
    else renameNew(type, name);
  };
  const change = (changes: Partial<Type>) => update(type, () => changes);
  const info = (key: keyof Type["info"], value: string) => update(type, (now) => ({ info: { ...now.info, [key]: value } }));
  const done = (attribute: Attribute) => {
    putAttribute(type, form!.of, attribute);
    setForm(null);
  };
  const drop = async (one: Attribute) => {
    if (one.was && !(await confirm({ title: t("attribute.remove-title", { name: one.name }), body: t("remove-text"), action: t("remove"), danger: true }))) return;
    change({ attributes: type.attributes.filter((other) => other !== one) });
  };
  const remove = async () => {
    if (type.was && !(await confirm({ title: t("type.remove-title", { name: titleOf(type) }), body: t("remove-text"), action: t("remove"), danger: true }))) return;
    if (type.was) change({ removed: true });
    else types.value = types.value.filter((one) => one.id !== type.id);
    await navigate("/types");
  };
  const move = (from: number, to: number) => {
    update(type, (now) => ({ attributes: moved(now.attributes, from, to) }));
  };
  return (
    <div class="form">
      <Link class="role-back" to="/types">
        <Icon name="back" />
        {t("back")}
      </Link>
      <SectionPart title={titleOf(type)} text={type.file || t("type.new-file")}>
        <fieldset class="types-info" disabled={!editable}>
          <legend class="visually-hidden">{t("type.names")}</legend>
          <Field label={t("type.display")}>{(wired) => <TextInput {...wired} value={type.info.displayName} onInput={(value) => info("displayName", value)} />}</Field>
          <Field label={t("type.name")} help={t(type.kind === "component" ? "type.component-help" : "type.name-help")} errors={wrong ? [wrong] : []}>
            {(wired) => <TextInput {...wired} mono spellcheck={false} value={name} onInput={setName} onBlur={rename} />}
          </Field>
          {type.kind !== "component" && <Field label={t("type.plural")}>{(wired) => <TextInput {...wired} mono spellcheck={false} value={type.info.pluralName} onInput={(value) => info("pluralName", value)} />}</Field>}
          {type.kind === "component" && <Field label={t("type.icon")} help={t("type.icon-help")}>{(wired) => <TextInput {...wired} mono spellcheck={false} value={type.info.icon} onInput={(value) => info("icon", value)} />}</Field>}
          <Field label={t("type.description")}>{(wired) => <TextInput {...wired} value={type.info.description} onInput={(value) => info("description", value)} />}</Field>
          {type.kind !== "component" && (
            <div class="types-flags">
              <Checkbox checked={type.draftAndPublish} onInput={(draftAndPublish) => change({ draftAndPublish })}>
                {t("type.drafts")}
              </Checkbox>
              <Checkbox checked={type.localized} onInput={(localized) => change({ localized })}>
                {t("type.localized")}
              </Checkbox>
            </div>
          )}
        </fieldset>
      </SectionPart>
      <SectionPart
        title={t("attributes")}
        text={t("attributes.text")}
        actions={
          editable && (
            <Button icon="plus" onClick={() => setForm({ of: null })}>
              {t("attribute.add")}
            </Button>
          )
        }
      >
        <Sortable label={t("attributes")} class="types-attributes" items={type.attributes} keyOf={(one) => one.was || `+${one.name}`} nameOf={(one) => one.name} onMove={move} disabled={!editable}>
          {(one, handle) => (
            <div class="types-attribute">
              {handle}
              <code>{one.name}</code>
              <span class="quiet-text">{describe(one)}</span>
              {editable && <IconButton small icon="edit" label={t("attribute.edit", { name: one.name })} onClick={() => setForm({ of: one })} />}
              {editable && <IconButton small icon="trash" label={t("attribute.remove", { name: one.name })} onClick={() => void drop(one)} />}
            </div>
          )}
        </Sortable>
      </SectionPart>
      {editable && (
        <footer class="section-actions">
          <Button variant="quiet" icon="trash" onClick={() => void remove()}>
            {t("type.remove")}
          </Button>
        </footer>
      )}
      {form && <AttributeForm type={type} of={form.of} onClose={() => setForm(null)} onDone={done} />}
    </div>
  );
}

/** A label within a sentence: capitals of abbreviations stay. */
const lower = (label: string): string => label.charAt(0).toLocaleLowerCase() + label.slice(1);

function describe({ definition: d }: Attribute): string {
  const words = [t(`kind.${String(d.type)}` as Key)];
  if (d.target) words.push(`→ ${titleOf(types.value.find((one) => uidOf(one) === d.target) ?? ({ info: { displayName: "" }, name: String(d.target) } as Type))}`);
  if (d.component) words.push(String(d.component));
  for (const flag of ["required", "unique", "private", "localized", "repeatable"] as const) if (d[flag] === true) words.push(lower(t(`rule.${flag}`)));
  return words.join(", ");
}
