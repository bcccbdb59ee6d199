// The assistants of the account: programs that work on its behalf.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { useTitle } from "../core/router";
import { FormDialog } from "../screens/form-dialog";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { toastError } from "../ui/toasts";
import { bodyOf, check, emptyDraft, fields, type Assistant } from "./assistant";
import { DraftFields } from "./draft";
import { MadeDialog, type Made } from "./made";
import { AssistantTable } from "./table";
import { t } from "./words";

export { Connect } from "./connect";
export { AssistantsOf } from "./others";

interface Own {
  assistants: readonly Assistant[];
  /** The site has some. */
  enabled: boolean;
  /** Where they ask. */
  address: string;
}

export default function Assistants() {
  useTitle(t("title"));
  const [own, setOwn] = useState<Own | null>(null);
  const [making, make] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const load = async () => {
    const { data, meta } = await request<Assistant[]>("GET", "/assistants");
    setOwn({ assistants: data, enabled: meta.enabled === true, address: String(meta.address) });
  };
  useEffect(() => void load().catch(toastError), []);
  const add = own?.enabled && (
    <Button variant="primary" icon="plus" onClick={() => make(true)}>
      {t("add")}
    </Button>
  );
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{t("title")}</h1>
      </header>
      <section class="section-part">
        <header class="section-part-head">
          <p class="quiet-text">{own?.enabled === false ? t("off") : t("text")}</p>
          {own && own.assistants.length > 0 && <div class="section-actions">{add}</div>}
        </header>
        {own?.enabled && own.assistants.length === 0 && (
          <Empty icon="spark" title={t("none")} action={add}>
            {t("none-text")}
          </Empty>
        )}
        {own && own.assistants.length > 0 && <AssistantTable assistants={own.assistants} path="/assistants" onEnded={load} />}
      </section>
      {making && (
        <NewAssistant
          onClose={() => make(false)}
          onMade={async (one) => {
            make(false);
            setMade(one);
            await load();
          }}
        />
      )}
      {made && own && <MadeDialog made={made} address={own.address} onClose={() => setMade(null)} />}
    </div>
  );
}

function NewAssistant({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => Promise<void> }) {
  const [draft, setDraft] = useState(emptyDraft);
  const send = async () => onMade((await request<Made>("POST", "/assistants", { body: bodyOf(draft) })).data);
  return (
    <FormDialog title={t("add")} action={t("add")} size="medium" fields={fields} check={() => check(draft)} send={send} onClose={onClose}>
      {(errors) => <DraftFields draft={draft} onChange={setDraft} errors={errors} />}
    </FormDialog>
  );
}
