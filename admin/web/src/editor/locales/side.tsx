// The locales of the document at the side: what is written and published in each.

import { useState } from "preact/hooks";
import { formatAgo, t } from "../../core/i18n";
import { may } from "../../core/schema";
import { Button, IconButton } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Checkbox } from "../../ui/inputs";
import { StatusBadge } from "../../ui/status";
import { toast, toastError } from "../../ui/toasts";
import { useSheet } from "../context";
import type { Editing } from "../editing";
import { besideOf, localesOf, openLocale, publishLocales, showBeside, type LocaleLine } from "./locales";

export function Locales() {
  const { editing } = useSheet();
  const [publishing, setPublishing] = useState(false);
  const locales = localesOf(editing);
  if (locales.length < 2 || editing.isNew) return null;
  const beside = besideOf(editing);
  const drafts = locales.filter((each) => each.mayChange && each.status !== null && each.status !== "published");
  const mayPublish = editing.type.draftAndPublish && may(editing.type, "publish") && editing.refusal("publish") === null;
  return (
    <section class="side-section" aria-labelledby="side-locales">
      <h2 id="side-locales">{t("locales.title")}</h2>
      <ul class="locales">
        {locales.map((each) => (
          <li key={each.code} class={each.isOpen ? "open" : undefined}>
            <button type="button" class="locale" aria-current={each.isOpen ? "true" : undefined} onClick={() => !each.isOpen && openLocale(editing, each.code)}>
              <span>{each.name}</span>
              <State line={each} drafts={editing.type.draftAndPublish} />
            </button>
            {!each.isOpen && each.status !== null && (
              <IconButton
                small
                icon="columns"
                pressed={beside === each.code}
                label={t("locales.show-beside", { name: each.name })}
                onClick={() => showBeside(editing, beside === each.code ? null : each.code)}
              />
            )}
          </li>
        ))}
      </ul>
      {mayPublish && drafts.length > 1 && (
        <Button small onClick={() => setPublishing(true)}>
          {t("locales.publish")}
        </Button>
      )}
      {publishing && <PublishDialog editing={editing} locales={drafts} close={() => setPublishing(false)} />}
    </section>
  );
}

function State({ line, drafts }: { line: LocaleLine; drafts: boolean }) {
  if (line.status === null) return <span class="locale-missing">{t("locales.missing")}</span>;
  if (drafts) return <StatusBadge status={line.status} {...(line.updatedAt && { tip: formatAgo(line.updatedAt) })} />;
  return <span class="locale-missing">{line.updatedAt && formatAgo(line.updatedAt)}</span>;
}

/** Asks which locales are to be published together. */
function PublishDialog({ editing, locales, close }: { editing: Editing; locales: readonly LocaleLine[]; close: () => void }) {
  const [chosen, setChosen] = useState<readonly string[]>(locales.map(({ code }) => code));
  const [busy, setBusy] = useState(false);
  const publish = async (): Promise<void> => {
    setBusy(true);
    try {
      await publishLocales(editing, chosen);
      toast({ kind: "done", text: t("locales.published", { n: chosen.length }) });
      close();
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={close}>{t("cancel")}</Button>
      <Button variant="primary" busy={busy} disabled={chosen.length === 0} onClick={() => void publish()}>
        {t("locales.publish-n", { n: chosen.length })}
      </Button>
    </>
  );
  return (
    <Dialog open size="small" title={t("locales.publish-title")} onClose={close} footer={footer}>
      <p>{t("locales.publish-text")}</p>
      <div class="stack">
        {locales.map(({ code, name, status }) => (
          <Checkbox key={code} checked={chosen.includes(code)} onInput={(on) => setChosen(on ? [...chosen, code] : chosen.filter((each) => each !== code))}>
            {name} {status && <StatusBadge status={status} />}
          </Checkbox>
        ))}
      </div>
    </Dialog>
  );
}
