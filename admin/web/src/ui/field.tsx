// A field: label, control, help and errors, wired by ids for screen readers.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "../core/i18n";
import { Icon } from "./icon";

/** What the control of a field is given: spread it over the input. */
export interface Wired {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
  "aria-required"?: true;
}

export interface FieldProps {
  label: string;
  /** What to enter; an error takes its place. */
  help?: ComponentChildren;
  errors?: readonly string[];
  required?: boolean;
  /** Beside the label: a counter, a lock, a menu. */
  aside?: ComponentChildren;
  /** The label is for a control that is no input, as an editor of text: it has an id and no "for". */
  labels?: "input" | "group";
  hideLabel?: boolean;
  id?: string;
  class?: string;
  children: (wired: Wired, labelId: string) => ComponentChildren;
}

export function Field({ label, help, errors = [], required, aside, labels = "input", hideLabel, id: given, class: extra, children }: FieldProps) {
  const made = useId();
  const id = given ?? made;
  const described = [errors.length > 0 ? `${id}-error` : "", help && errors.length === 0 ? `${id}-help` : ""].filter(Boolean).join(" ");
  const wired: Wired = { id };
  if (described) wired["aria-describedby"] = described;
  if (errors.length > 0) wired["aria-invalid"] = true;
  if (required) wired["aria-required"] = true;
  const mark = required && (
    <span class="required" aria-hidden="true">
      *
    </span>
  );
  return (
    <div class={`field${errors.length > 0 ? " invalid" : ""}${extra ? ` ${extra}` : ""}`}>
      <div class={hideLabel ? "visually-hidden" : "field-head"}>
        {labels === "input" ? (
          <span class="field-name">
            <label id={`${id}-label`} for={id}>
              {label}
            </label>
            {mark}
          </span>
        ) : (
          <span class="field-name">
            <span class="label" id={`${id}-label`}>
              {label}
            </span>
            {mark}
          </span>
        )}
        {aside && <span class="field-aside">{aside}</span>}
      </div>
      {children(wired, `${id}-label`)}
      {errors.length > 0 && (
        <p class="field-error" id={`${id}-error`}>
          <Icon name="error" size={14} />
          <span>{errors.join(" ")}</span>
        </p>
      )}
      {help && errors.length === 0 && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

/** How much of a limit is used, shown from four fifths of it on. */
export function Counter({ length, limit }: { length: number; limit: number }) {
  if (length < limit * 0.8) return null;
  return <span class={length > limit ? "counter over" : "counter"}>{t("field.counter", { length, limit })}</span>;
}
