// What a role of the site or a token may do: the actions of each type and plugin.

import { useState } from "preact/hooks";
import { typeOf } from "../core/schema";
import { hasWords, wordsOf } from "../core/words";
import { Checkbox, TextInput } from "../ui/inputs";
import { controllersOf, type Controller } from "./permissions";
import { t } from "./words";

interface PermissionListProps {
  /** All that there are. */
  all: readonly string[];
  held: readonly string[];
  fixed?: boolean;
  onChange: (held: string[]) => void;
}

/** From how many types and plugins on a filter helps. */
const many = 9;

export function PermissionList({ all, held, fixed = false, onChange }: PermissionListProps) {
  const [filter, setFilter] = useState("");
  const controllers = controllersOf(all, (uid) => typeOf(uid)?.displayName);
  const shown = controllers.filter((one) => hasWords(`${one.name} ${one.uid}`, wordsOf(filter)));
  return (
    <div class="permissions">
      {controllers.length >= many && <TextInput class="permission-filter" type="search" aria-label={t("permissions.filter")} placeholder={t("permissions.filter")} value={filter} onInput={setFilter} />}
      {shown.map((controller) => (
        <Actions key={controller.uid} of={controller} held={held} fixed={fixed} onChange={onChange} />
      ))}
    </div>
  );
}

interface ActionsProps {
  of: Controller;
  held: readonly string[];
  fixed: boolean;
  onChange: (held: string[]) => void;
}

function Actions({ of, held, fixed, onChange }: ActionsProps) {
  const own = of.actions.map((action) => `${of.uid}.${action}`);
  const chosen = own.filter((permission) => held.includes(permission)).length;
  const others = held.filter((permission) => !own.includes(permission));
  return (
    <fieldset class="permission" disabled={fixed}>
      <legend>
        <Checkbox checked={chosen === own.length} mixed={chosen > 0 && chosen < own.length} onInput={(every) => onChange(every ? [...others, ...own] : others)}>
          {of.name}
        </Checkbox>
      </legend>
      <div class="role-words">
        {own.map((permission, i) => (
          <Checkbox
            key={permission}
            aria-label={`${of.name}: ${of.actions[i] ?? ""}`}
            checked={held.includes(permission)}
            onInput={(there) => onChange(there ? [...held, permission] : held.filter((one) => one !== permission))}
          >
            <code>{of.actions[i]}</code>
          </Checkbox>
        ))}
      </div>
    </fieldset>
  );
}
