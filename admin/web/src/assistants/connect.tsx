// The page to which a program sends the browser of a person who is to connect it.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { useTitle } from "../core/router";
import { FormError } from "../screens/door";
import { explainAt, useForm } from "../screens/form";
import { Button } from "../ui/button";
import { toastError } from "../ui/toasts";
import { bodyOf, check, emptyDraft, fields, type Draft, type FieldName } from "./assistant";
import { DraftFields } from "./draft";
import { t } from "./words";

interface Connection {
  client: string;
  /** The host at which it describes itself; null where it has registered itself. */
  document: string | null;
  /** To which the browser goes back. */
  host: string;
  /** With which error the browser can go back, because the request is wrong. */
  back: string | null;
}

/** What the program asks for, as it has sent it. */
const query = () => location.search.slice(1);

export function Connect() {
  useTitle(t("connect.title"));
  const [asked, setAsked] = useState<Connection | null>(null);
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    request<Connection>("POST", "/assistants/connection", { body: { query: query() } }).then(
      ({ data }) => setAsked(data),
      (error: unknown) => setWrong(error instanceof Error ? error.message : String(error)),
    );
  }, []);
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{t("connect.title")}</h1>
      </header>
      <FormError text={wrong} />
      {asked && (asked.back === null ? <Decision asked={asked} /> : <Mistake asked={asked} back={asked.back} />)}
    </div>
  );
}

/** A request that is wrong. Anybody can register a program, so the browser goes nowhere by itself. */
function Mistake({ asked: { client, host }, back }: { asked: Connection; back: string }) {
  return (
    <div class="form">
      <p class="notice">{t("connect.mistake", { client, host })}</p>
      <div class="section-actions">
        <Button onClick={() => location.assign(back)}>{t("connect.back", { host })}</Button>
      </div>
    </div>
  );
}

function Decision({ asked: { client, document, host } }: { asked: Connection }) {
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, name: client });
  const decide = async (allow: boolean) => {
    const { data } = await request<{ back: string }>("POST", "/assistants/connect", { body: { query: query(), allow, ...bodyOf(draft) } });
    location.assign(data.back);
  };
  const { errors, busy, submit } = useForm<FieldName>({ check: () => check(draft), send: () => decide(true), explain: explainAt(fields) });
  const listed = Object.fromEntries(fields.map((name) => [name, errors[name] ? [errors[name]] : []])) as { [name in FieldName]: string[] };
  const here = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host);
  return (
    <form class="form connect-form" noValidate onSubmit={submit}>
      <p>{t("connect.asks", { client })}</p>
      {document !== null && <p>{t("connect.document", { host: document })}</p>}
      <p class="notice">{t(here ? "connect.here" : "connect.host", { host })}</p>
      <FormError text={errors.form ?? ""} />
      <DraftFields draft={draft} onChange={setDraft} errors={listed} />
      <div class="section-actions">
        <Button variant="primary" type="submit" busy={busy}>
          {t("connect.allow")}
        </Button>
        <Button onClick={() => void decide(false).catch(toastError)}>{t("connect.refuse")}</Button>
      </div>
    </form>
  );
}
