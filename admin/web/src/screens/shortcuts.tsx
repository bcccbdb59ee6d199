// The help on keys: what they do where the user is.

import { signal } from "@preact/signals";
import { characterKeys, commands, formatKeys } from "../core/commands";
import { t } from "../core/i18n";
import { remember } from "../core/session";
import { Dialog } from "../ui/dialog";
import { Switch } from "../ui/inputs";

const open = signal(false);

export function openShortcuts() {
  open.value = true;
}

export function Shortcuts() {
  return (
    <Dialog open={open.value} title={t("shell.shortcuts")} onClose={() => (open.value = false)}>
      {open.value && (
        <>
          <dl class="shortcuts">
            {commands()
              .filter((command) => command.keys)
              .map((command) => (
                <div key={command.label}>
                  <dt>{command.label}</dt>
                  <dd>
                    <kbd>{formatKeys(command.keys ?? "")}</kbd>
                  </dd>
                </div>
              ))}
          </dl>
          <Switch checked={characterKeys()} onInput={(on) => remember("character-keys", on ? undefined : false)}>
            {t("shortcuts.characters")}
          </Switch>
        </>
      )}
    </Dialog>
  );
}
