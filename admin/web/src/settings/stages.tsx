// The stages of each type: through which documents go before they are published, and who moves
// them where.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { segment } from "../core/router";
import { SectionPart } from "../screens/section";
import { Button, IconButton } from "../ui/button";
import { Field } from "../ui/field";
import { Checkbox, Select, TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { t } from "./words";

interface Stage {
  id: string;
  name: string;
  from?: string[];
  roles?: string[];
}

interface Workflow {
  stages: Stage[];
  publish?: string;
}

interface Stored {
  version: string;
  workflow: Workflow;
}

interface Known {
  types: { uid: string; displayName: string; draftAndPublish: boolean }[];
  staged: string[];
  roles: { id: string; name: string }[];
}

export function Stages() {
  const [known, setKnown] = useState<Known | null>(null);
  const [uid, setUid] = useState("");
  useEffect(() => {
    request<Known>("GET", "/workflows").then(({ data }) => {
      setKnown(data);
      setUid(data.staged[0] ?? data.types[0]?.uid ?? "");
    }, toastError);
  }, []);
  if (!known) return null;
  const type = known.types.find((one) => one.uid === uid);
  const named = (one: Known["types"][number]) => (known.staged.includes(one.uid) ? t("stages.has", { type: one.displayName }) : one.displayName);
  return (
    <SectionPart title={t("stages.title")} text={t("stages.text")}>
      <Field label={t("stages.type")}>{(wired) => <Select {...wired} value={uid} onInput={setUid} options={known.types.map((one) => ({ value: one.uid, label: named(one) }))} />}</Field>
      {type && <OfType key={uid} type={type} known={known} />}
    </SectionPart>
  );
}

const newID = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (n) => (n % 36).toString(36)).join("");

/** A list with or without one of its members. */
const toggled = (list: readonly string[] | undefined, one: string, has: boolean) => [...(list ?? []).filter((other) => other !== one), ...(has ? [one] : [])];

function OfType({ type, known }: { type: Known["types"][number]; known: Known }) {
  const path = `/workflows/${segment(type.uid)}`;
  const [stored, setStored] = useState<Stored | null>(null);
  const [stages, setStages] = useState<readonly Stage[]>([]);
  const [publish, setPublish] = useState("");
  const [busy, setBusy] = useState(false);
  const take = ({ data }: { data: Stored }) => {
    setStored(data);
    setStages(data.workflow.stages);
    setPublish(data.workflow.publish ?? "");
  };
  useEffect(() => void request<Stored>("GET", path).then(take, toastError), []);
  if (!stored) return null;
  const change = (id: string, to: Partial<Stage>) => setStages(stages.map((one) => (one.id === id ? { ...one, ...to } : one)));
  const remove = (id: string) => {
    setStages(stages.filter((one) => one.id !== id).map((one) => ({ ...one, ...(one.from && { from: one.from.filter((other) => other !== id) }) })));
    if (publish === id) setPublish("");
  };
  const up = (i: number) => setStages([...stages.slice(0, i - 1), stages[i]!, stages[i - 1]!, ...stages.slice(i + 1)]);
  const save = async () => {
    setBusy(true);
    await request<Stored>("PUT", path, { body: { version: stored.version, workflow: { stages, ...(publish && { publish }) } } }).then((answer) => {
      take(answer);
      toast({ kind: "done", text: t("stages.saved") });
    }, toastError);
    setBusy(false);
  };
  return (
    <form class="stage-form" onSubmit={(event) => (event.preventDefault(), void save())}>
      {stages.length === 0 && <p class="quiet-text">{t("stages.none")}</p>}
      <ol class="stage-rows">
        {stages.map((stage, i) => (
          <li key={stage.id}>
            <Field label={t("stages.name", { n: i + 1 })}>{(wired) => <TextInput {...wired} maxLength={100} value={stage.name} onInput={(name) => change(stage.id, { name })} />}</Field>
            {stages.length > 1 && (
              <Choices label={t("stages.from", { stage: stage.name })} of={stages.filter((one) => one.id !== stage.id)} chosen={stage.from} choose={(from) => change(stage.id, { from })} all={t("stages.from-all")} />
            )}
            <Choices label={t("stages.roles", { stage: stage.name })} of={known.roles} chosen={stage.roles} choose={(roles) => change(stage.id, { roles })} all={t("stages.roles-all")} />
            <div class="thread-actions">
              {i > 0 && <IconButton icon="up" label={t("stages.up", { stage: stage.name })} onClick={() => up(i)} />}
              <IconButton icon="trash" label={t("stages.remove", { stage: stage.name })} onClick={() => remove(stage.id)} />
            </div>
          </li>
        ))}
      </ol>
      <div class="form-rows">
        <Button icon="plus" onClick={() => setStages([...stages, { id: newID(), name: "" }])}>
          {t("stages.add")}
        </Button>
        {type.draftAndPublish && stages.length > 0 && (
          <Field label={t("stages.publish")}>
            {(wired) => <Select {...wired} value={publish} onInput={setPublish} options={[{ value: "", label: t("stages.publish-any") }, ...stages.map(({ id, name }) => ({ value: id, label: name }))]} />}
          </Field>
        )}
        <Button variant="primary" type="submit" busy={busy}>
          {t("stages.save")}
        </Button>
      </div>
    </form>
  );
}

interface ChoicesProps {
  label: string;
  of: readonly { id: string; name: string }[];
  chosen: string[] | undefined;
  choose: (chosen: string[]) => void;
  /** What no choice means. */
  all: string;
}

function Choices({ label, of, chosen, choose, all }: ChoicesProps) {
  return (
    <fieldset>
      <legend class="label">{label}</legend>
      <div class="stage-choices">
        {of.map(({ id, name }) => (
          <Checkbox key={id} checked={chosen?.includes(id) ?? false} onInput={(has) => choose(toggled(chosen, id, has))}>
            {name || "…"}
          </Checkbox>
        ))}
      </div>
      {!chosen?.length && <p class="field-help">{all}</p>}
    </fieldset>
  );
}
