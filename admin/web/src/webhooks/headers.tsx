// The headers that a webhook adds. Their values are secret: they can be written, and are not
// shown again.

import { Button, IconButton } from "../ui/button";
import { Field } from "../ui/field";
import { PasswordInput, TextInput } from "../ui/inputs";
import { t } from "./words";

export interface Header {
  name: string;
  /** Empty for the value that it has, if it is kept. */
  value: string;
  /** The webhook has it. */
  kept: boolean;
}

/** The headers that a webhook has. */
export function keptHeaders(names: readonly string[]): Header[] {
  return names.map((name) => ({ name, value: "", kept: true }));
}

/** Headers as a write takes them: null keeps a value. Rows without a name are left out. */
export function sentHeaders(headers: readonly Header[]): Record<string, string | null> {
  return Object.fromEntries(headers.filter(({ name }) => name.trim() !== "").map(({ name, value, kept }) => [name.trim(), kept && value === "" ? null : value]));
}

interface HeadersProps {
  of: readonly Header[];
  errors: readonly string[];
  onInput: (headers: readonly Header[]) => void;
}

export function Headers({ of: headers, errors, onInput }: HeadersProps) {
  const put = (at: number, change: Partial<Header>) => onInput(headers.map((one, i) => (i === at ? { ...one, ...change } : one)));
  return (
    <Field label={t("form.headers")} labels="group" help={t("form.headers-help")} errors={errors}>
      {(_, labelId) => (
        <div class="hook-headers" role="group" aria-labelledby={labelId}>
          {headers.map((one, i) => (
            <div class="hook-header" key={i}>
              <TextInput aria-label={t("form.header-name", { n: i + 1 })} mono value={one.name} readOnly={one.kept} onInput={(name) => put(i, { name })} />
              <PasswordInput
                aria-label={t("form.header-value", { n: i + 1 })}
                mono
                autocomplete="off"
                placeholder={one.kept ? t("form.header-kept") : ""}
                value={one.value}
                onInput={(value) => put(i, { value })}
              />
              <IconButton icon="trash" label={t("form.header-remove", { n: i + 1 })} onClick={() => onInput(headers.filter((_, at) => at !== i))} />
            </div>
          ))}
          <Button small icon="plus" onClick={() => onInput([...headers, { name: "", value: "", kept: false }])}>
            {t("form.header-add")}
          </Button>
        </div>
      )}
    </Field>
  );
}
