// The page of a type: its names and options, and its attributes in their order.

import { useState } from "preact/hooks";
import { Link, navigate } from "../core/router";
import { SectionPart } from "../screens/section";
import { Button, IconButton } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Checkbox, TextInput } from "../ui/inputs";
import { Sortable } from "../ui/sortable";
import { AttributeForm } from "./attribute-form";
import { inverted, put, titleOf, types, uidOf, type Attribute, type Type } from "./model";
import { t, type Key } from "./words";

export function TypeForm({ type, editable }: { type: Type; editable: boolean }) {
  const [form, setForm] = useState<{ of: Attribute | null } | null>(null);
  const change = (changes: Partial<Type>) => put(type, { ...type, ...changes });
  const info = (key: keyof Type["info"], value: string) => change({ info: { ...type.info, [key]: value } });
  const done = (attribute: Attribute, otherSide: string) => {
    const { of } = form!;
    const next = { ...type, attributes: of ? type.attributes.map((one) => (one === of ? attribute : one)) : [...type.attributes, attribute] };
    const target = otherSide ? types.value.find((one) => uidOf(one) === attribute.definition.target) : undefined;
    put(type, next);
    if (target) {
      const relation = inverted[String(attribute.definition.relation)];
      const set = { type: "relation", relation, target: uidOf(type), [relation === "oneToMany" || attribute.definition.inversedBy ? "mappedBy" : "inversedBy"]: attribute.name };
      const there = target === type ? next : target;
      put(there, { ...there, attributes: [...there.attributes, { was: "", name: otherSide, definition: set, set }] });
    }
    setForm(null);
  };
  const drop = async (one: Attribute) => {
    if (one.was && !(await confirm({ title: t("attribute.remove-title", { name: one.name }), body: t("remove-text"), action: t("remove"), danger: true }))) return;
    change({ attributes: type.attributes.filter((other) => other !== one) });
  };
  const remove = async () => {
    if (type.was && !(await confirm({ title: t("type.remove-title", { name: titleOf(type) }), body: t("remove-text"), action: t("remove"), danger: true }))) return;
    if (type.was) change({ removed: true });
    else types.value = types.value.filter((one) => one !== type);
    await navigate("/types");
  };
  const move = (from: number, to: number) => {
    const attributes = [...type.attributes];
    attributes.splice(to, 0, ...attributes.splice(from, 1));
    change({ attributes });
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
          <Field label={t("type.name")} help={t(type.kind === "component" ? "type.component-help" : "type.name-help")}>
            {(wired) => <TextInput {...wired} mono spellcheck={false} value={type.name} onInput={(name) => type.was && change({ name })} readOnly={!type.was} />}
          </Field>
          {type.kind !== "component" && <Field label={t("type.plural")}>{(wired) => <TextInput {...wired} mono spellcheck={false} value={type.info.pluralName} onInput={(value) => info("pluralName", value)} />}</Field>}
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

function describe({ definition: d }: Attribute): string {
  const words = [t(`kind.${String(d.type)}` as Key)];
  if (d.target) words.push(`→ ${titleOf(types.value.find((one) => uidOf(one) === d.target) ?? ({ info: { displayName: "" }, name: String(d.target) } as Type))}`);
  if (d.component) words.push(String(d.component));
  for (const flag of ["required", "unique", "private", "localized", "repeatable"] as const) if (d[flag] === true) words.push(t(`rule.${flag}`).toLocaleLowerCase());
  return words.join(", ");
}
