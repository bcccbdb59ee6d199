// The section of content types: a list of them, and the page of each.

import { useEffect, useState } from "preact/hooks";
import { t as common } from "../core/i18n";
import { guard, Link, navigate, segment, useTitle } from "../core/router";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm, Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Select, TextInput } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { isChanged, loadTypes, newType, shownType, titleOf, types, uidOf, type Listed, type Type } from "./model";
import { Review } from "./review";
import { TypeForm } from "./type-form";
import { t, type Key } from "./words";

export default function Types() {
  const [site, setSite] = useState<Listed | null>(null);
  const [shown, show] = useState<"new" | "review" | null>(null);
  useTitle(t("title"));
  useEffect(() => void loadTypes().then(setSite, toastError), []);
  useEffect(() => guard((to) => to.path.startsWith("/types") || !types.value.some(isChanged) || confirm({ title: t("leave-title"), body: t("leave-text"), action: t("discard"), danger: true })), []);
  if (!site) return null;
  const chosen = shownType();
  const changed = types.value.filter(isChanged).length;
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{t("title")}</h1>
      </header>
      {!site.editable && <Notice text={t("read-only")} />}
      {site.problems.map((one) => (
        <Notice key={one.message} text={`${one.file}: ${one.message}. ${one.fix}`} />
      ))}
      {changed > 0 && (
        <div class="types-pending" role="status">
          <span>{t("pending", { n: changed })}</span>
          <Button variant="quiet" onClick={() => void loadTypes().then(setSite, toastError)}>
            {t("discard")}
          </Button>
          <Button variant="primary" onClick={() => show("review")}>
            {t("review")}
          </Button>
        </div>
      )}
      {chosen ? <TypeForm key={chosen.id} type={chosen} editable={site.editable} /> : <List editable={site.editable} onNew={() => show("new")} />}
      {shown === "new" && <NewType onClose={() => show(null)} />}
      {shown === "review" && <Review onClose={() => show(null)} />}
    </div>
  );
}

function Notice({ text }: { text: string }) {
  return (
    <p class="notice">
      <Icon name="lock" />
      <span>{text}</span>
    </p>
  );
}

function List({ editable, onNew }: { editable: boolean; onNew: () => void }) {
  return (
    <SectionPart
      title={t("list")}
      text={t("list.text")}
      actions={
        editable && (
          <Button icon="plus" onClick={onNew}>
            {t("type.add")}
          </Button>
        )
      }
    >
      <SectionTable shownOnly columns={[t("type.display"), t("type.kind"), t("attributes")]}>
        {types.value.map((one) => (
          <tr key={uidOf(one)}>
            <th scope="row">{one.removed ? <s>{titleOf(one)}</s> : <Link to={`/types/${segment(one.id)}`}>{titleOf(one)}</Link>}</th>
            <td data-label={t("type.kind")}>
              {t(`kind-of.${one.kind}` as Key)} <code class="quiet-text">{uidOf(one)}</code>
            </td>
            <td data-label={t("attributes")}>
              {one.attributes.length} {isChanged(one) && <em class="quiet-text">{t("changed")}</em>}
            </td>
          </tr>
        ))}
      </SectionTable>
    </SectionPart>
  );
}

function NewType({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState("collectionType");
  const [display, setDisplay] = useState("");
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const guessed = display.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  const whole = name || (kind === "component" ? guessed && `shared.${guessed}` : guessed);
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const word = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
    const parts = whole.split(".");
    if (parts.length !== (kind === "component" ? 2 : 1) || !parts.every((part) => word.test(part))) return setError(t(kind === "component" ? "type.component-help" : "type.name-help"));
    const type: Type = newType(kind, whole, display || whole, kind === "component" ? "" : `${whole}s`);
    if (types.value.some((one) => uidOf(one) === uidOf(type))) return setError(t("type.taken"));
    types.value = [...types.value, type];
    onClose();
    void navigate(`/types/${segment(type.id)}`);
  };
  return (
    <Dialog
      open
      size="small"
      title={t("type.add")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button variant="primary" type="submit" form="new-type">
            {t("type.begin")}
          </Button>
        </>
      }
    >
      <form id="new-type" class="form" noValidate onSubmit={add}>
        <Field label={t("type.kind")}>
          {(wired) => <Select {...wired} value={kind} onInput={setKind} options={["collectionType", "singleType", "component"].map((value) => ({ value, label: t(`kind-of.${value}` as Key) }))} />}
        </Field>
        <Field label={t("type.display")}>{(wired) => <TextInput {...wired} value={display} onInput={setDisplay} />}</Field>
        <Field label={t("type.name")} required errors={error ? [error] : []} help={t(kind === "component" ? "type.component-help" : "type.name-help")}>
          {(wired) => <TextInput {...wired} mono spellcheck={false} value={whole} onInput={setName} />}
        </Field>
      </form>
    </Dialog>
  );
}
