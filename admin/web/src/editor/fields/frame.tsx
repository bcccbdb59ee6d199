// What stands around every field: its label, what limits it, and what is wrong with it.

import type { ComponentChildren } from "preact";
import { t } from "../../core/i18n";
import type { Attribute } from "../../core/schema";
import { Counter, Field, type Wired } from "../../ui/field";
import { Icon, type IconName } from "../../ui/icon";
import { type FieldProps, useSheet } from "../context";
import { InField } from "../presence";
import { whenReleased } from "../pressed";
import { FieldSuggestions } from "../suggesting";
import { checkUnique } from "./unique";

export interface FrameProps extends FieldProps {
  /** How much of the limit is used: characters, or items. */
  used?: number;
  limit?: number | undefined;
  help?: ComponentChildren;
  aside?: ComponentChildren;
  labels?: "input" | "group";
  class?: string;
  children: (wired: Wired, labelId: string) => ComponentChildren;
}

/** Whether a field cannot be changed. */
export function useLock(attribute: Attribute): boolean {
  return useSheet().locked !== null || attribute.readOnly === true;
}

export function Frame({ path, attribute, form, used, limit, help, aside, labels = "input", class: extra, children }: FrameProps) {
  const sheet = useSheet();
  return (
    <div
      class={`form-field${extra ? ` ${extra}` : ""}`}
      data-type={attribute.type}
      onFocusCapture={() => sheet.entered(path)}
      onBlurCapture={() => {
        whenReleased(() => form.problems.leave(path));
        form.history.close();
        void checkUnique(sheet.editing, form, path, attribute);
      }}
    >
      <Field
        id={sheet.id(path)}
        label={attribute.label}
        labels={labels}
        errors={form.errors(path).value}
        required={attribute.required === true}
        help={helpOf(attribute.hint, help)}
        aside={
          <>
            {path.length === 1 && <InField name={attribute.name} />}
            {path.length === 1 && <OpenThreads name={attribute.name} />}
            <FieldSuggestions path={path} attribute={attribute} form={form} />
            {aside}
            {used !== undefined && limit !== undefined && <Counter length={used} limit={limit} />}
            {attribute.readOnly && <Mark icon="lock" text={t("field.read-only")} />}
            {path.length === 1 && form.suggested.value.has(attribute.name) && form.changed(path) && <Mark icon="spark" text={t("field.suggested")} />}
            {attribute.private && <Mark icon="eye-off" text={t("field.private")} />}
            {sheet.editing.type.localized && path.length === 1 && !attribute.localized && <Mark icon="globe" text={t("field.shared")} />}
          </>
        }
      >
        {children}
      </Field>
    </div>
  );
}

/** A mark at a field that people talk about, which leads to what they say. */
function OpenThreads({ name }: { name: string }) {
  const sheet = useSheet();
  const n = sheet.threads.value.get(name);
  if (!n) return null;
  const label = t("field.comments", { n });
  return (
    <button type="button" class="field-comments" aria-label={label} data-tip={label} onClick={() => (sheet.thread.value = name)}>
      <Icon name="comment" size={12} />
      {n}
    </button>
  );
}

/** What people have written about the attribute, before what the field says itself. */
function helpOf(hint: string | undefined, help: ComponentChildren): ComponentChildren {
  if (!hint) return help;
  return help ? (
    <>
      {hint} · {help}
    </>
  ) : (
    hint
  );
}

function Mark({ icon, text }: { icon: IconName; text: string }) {
  return (
    <span class="field-mark" data-tip={text}>
      <Icon name={icon} size={12} />
      <span class="visually-hidden">{text}</span>
    </span>
  );
}
