// The fields about what a new assistant is called and may do.

import { schema } from "../core/schema";
import { Field } from "../ui/field";
import { Checkbox, Select, TextInput } from "../ui/inputs";
import type { Allowed, Draft, FieldName } from "./assistant";
import { t } from "./words";

interface DraftFieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  errors: { readonly [name in FieldName]: string[] };
}

const lifetimes = ["1", "7", "30", "90", "365"] as const; // in days

export function DraftFields({ draft, onChange, errors }: DraftFieldsProps) {
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  const allowed = (["no", "ask", "yes"] as const).map((value) => ({ value, label: t(`allowed.${value}`) }));
  return (
    <>
      <Field label={t("name")} required help={t("name-help")} errors={errors.name}>
        {(wired) => <TextInput {...wired} value={draft.name} onInput={(name) => set({ name })} autofocus />}
      </Field>
      <Checkbox checked={draft.readOnly} onInput={(readOnly) => set({ readOnly })}>
        {t("read-only")}
      </Checkbox>
      {!draft.readOnly && (
        <>
          <Field label={t("publish")} help={t("publish-help")} errors={errors["limits.publish"]}>
            {(wired) => <Select {...wired} value={draft.publish} onInput={(publish) => set({ publish: publish as Allowed })} options={allowed} />}
          </Field>
          <Field label={t("delete")} errors={errors["limits.delete"]}>
            {(wired) => <Select {...wired} value={draft.delete} onInput={(remove) => set({ delete: remove as Allowed })} options={allowed} />}
          </Field>
          <Field label={t("most")} help={t("most-help")} errors={errors["limits.most"]}>
            {(wired) => <TextInput {...wired} inputMode="numeric" value={draft.most} onInput={(most) => set({ most })} />}
          </Field>
          <Checkbox checked={draft.files} onInput={(files) => set({ files })}>
            {t("files")}
            <span class="field-help"> {t("files-help")}</span>
          </Checkbox>
        </>
      )}
      <Types chosen={draft.types} errors={errors["limits.types"]} onChange={(types) => set({ types })} />
      <Field label={t("days")} errors={errors.days}>
        {(wired) => <Select {...wired} value={draft.days} onInput={(days) => set({ days })} options={lifetimes.map((value) => ({ value, label: t("days-of", { n: Number(value) }) }))} />}
      </Field>
    </>
  );
}

function Types({ chosen, errors, onChange }: { chosen: readonly string[] | null; errors: string[]; onChange: (types: readonly string[] | null) => void }) {
  const types = schema.value?.types ?? [];
  return (
    <>
      <Checkbox checked={chosen === null} onInput={(all) => onChange(all ? null : [])}>
        {t("types")}
      </Checkbox>
      {chosen && (
        <Field label={t("types-some")} labels="group" errors={errors}>
          {(_, labelId) => (
            <div class="role-words" role="group" aria-labelledby={labelId}>
              {types.map(({ uid, displayName }) => (
                <Checkbox key={uid} checked={chosen.includes(uid)} onInput={(on) => onChange(on ? [...chosen, uid] : chosen.filter((one) => one !== uid))}>
                  {displayName}
                </Checkbox>
              ))}
            </div>
          )}
        </Field>
      )}
    </>
  );
}
