// The dialog that adds documents to a release, from a form or from a list.

import { useEffect, useState } from "preact/hooks";
import { formatDateTime, formatLocale, t as common } from "../core/i18n";
import { navigate } from "../core/router";
import type { ContentType } from "../core/schema";
import { FormDialog } from "../screens/form-dialog";
import { Field } from "../ui/field";
import { Select, TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { nameMissing } from "./dialogs";
import { changeSteps, createRelease, listReleases, localesOf, type Release, type Step, type StepAction } from "./release";
import { withStep } from "./with-step";
import { t } from "./words";

export interface AddProps {
  type: ContentType;
  /** One null for a single type. */
  documentIds: readonly (string | null)[];
  /** The locale that is open; null for a type without locales. */
  locale: string | null;
  onClose: () => void;
  onAdded?: () => void;
}

export default function Add({ type, documentIds, locale, onClose, onAdded }: AddProps) {
  const [open, setOpen] = useState<readonly Release[] | null>(null);
  const [chosen, setChosen] = useState("");
  const [name, setName] = useState("");
  const [action, setAction] = useState<StepAction>("publish");
  const [every, setEvery] = useState(false);
  useEffect(() => {
    listReleases().then((all) => {
      const left = all.filter(({ state }) => state !== "done");
      setOpen(left);
      setChosen(left[0]?.id ?? "");
    }, toastError);
  }, []);
  if (!open) return null;
  const steps = documentIds.map((documentId): Step => ({ type: type.uid, ...(documentId && { documentId }), action, ...(type.localized && locale && { locales: [every ? "*" : locale] }) }));
  const send = async () => {
    const release = chosen ? await changeSteps(chosen, (before) => steps.reduce((all, one) => withStep(all, one, localesOf), [...before])) : await createRelease({ name: name.trim(), steps });
    onClose();
    onAdded?.();
    toast({ kind: "done", text: t("added", { n: steps.length, name: release.name }), action: { label: t("open"), run: () => void navigate(`/releases/${release.id}`) } });
  };
  return (
    <FormDialog title={t("add-title", { n: steps.length })} action={t("add")} fields={["name", "steps"]} check={() => (chosen ? {} : nameMissing(name))} send={send} onClose={onClose}>
      {(errors) => (
        <>
          <Field label={t("release")} errors={errors.steps}>
            {(wired) => <Select {...wired} value={chosen} onInput={setChosen} options={[...open.map((one) => ({ value: one.id, label: labelOf(one) })), { value: "", label: t("new-one") }]} />}
          </Field>
          {!chosen && (
            <Field label={t("name")} errors={errors.name} help={t("name-help")} required>
              {(wired) => <TextInput {...wired} value={name} onInput={setName} />}
            </Field>
          )}
          <Field label={common("schedule.what")}>
            {(wired) => (
              <Select
                {...wired}
                value={action}
                onInput={(value) => setAction(value === "unpublish" ? value : "publish")}
                options={(["publish", "unpublish"] as const).map((value) => ({ value, label: common(`editor.${value}`) }))}
              />
            )}
          </Field>
          {type.localized && locale && (
            <Field label={t("locales")}>
              {(wired) => (
                <Select
                  {...wired}
                  value={every ? "*" : locale}
                  onInput={(value) => setEvery(value === "*")}
                  options={[
                    { value: locale, label: formatLocale(locale) },
                    { value: "*", label: t("all-locales") },
                  ]}
                />
              )}
            </Field>
          )}
        </>
      )}
    </FormDialog>
  );
}

const labelOf = ({ name, at }: Release): string => (at ? `${name} (${formatDateTime(at)})` : name);
