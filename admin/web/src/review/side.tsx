// The side of the editor on which a document is reviewed: its stage, who looks at it, until when,
// and what people say about it.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { announce } from "../core/live-region";
import { reviewed, subscribe } from "../core/live";
import { segment } from "../core/router";
import { useSheet } from "../editor/context";
import { entryOf } from "../editor/opening";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { Select, TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { Threads } from "./threads";
import { type Person, type Review, t } from "./words";

export default function ReviewSide() {
  const sheet = useSheet();
  const { editing } = sheet;
  const documentId = String(entryOf(editing.loaded.value)?.["documentId"] ?? "");
  const path = `/reviews/${segment(editing.type.uid)}/${segment(documentId)}`;
  const query = editing.locale ? { locale: editing.locale } : {};
  const [review, setReview] = useState<Review | null>(null);
  const asked = useRef(0);
  // An answer that comes after that of a later question shows nothing.
  const show = (shown: Review, question = ++asked.current) => {
    if (question !== asked.current) return;
    setReview(shown);
    const open = new Map<string, number>();
    for (const { thread, field, resolved } of shown.comments) if (!thread && field && !resolved) open.set(field, (open.get(field) ?? 0) + 1);
    sheet.threads.value = open;
  };
  const load = () => {
    const question = ++asked.current;
    return request<Review>("GET", path, { query, quiet: true }).then(
      ({ data }) => show(data, question),
      (error: unknown) => void (error instanceof ApiError && (error.status === 404 || error.status === 403) && setReview(null)),
    );
  };
  const heard = reviewed.value;
  useEffect(() => void (documentId && load()), [documentId, editing.locale, heard]);
  useEffect(() => subscribe(() => undefined, () => void load()), [documentId, editing.locale]);
  const send = async (method: "PUT" | "POST" | "DELETE", below: string, body?: unknown): Promise<boolean> => {
    try {
      const answer = await request<Review>(method, path + below, { query, ...(body !== undefined && { body }) });
      if (method === "DELETE") await load();
      else show(answer.data);
      return true;
    } catch (error) {
      toastError(error);
      return false;
    }
  };
  if (!review) return null;
  const people = (field: string | null) => request<Person[]>("GET", `${path}/people`, { query: { ...query, ...(field && { field }) } }).then(({ data }) => data, () => []);
  return (
    <section class="side-section review" aria-labelledby="side-review">
      <h2 id="side-review">{t("title")}</h2>
      <Progress key={JSON.stringify([review.stage, review.assignee, review.due])} review={review} people={people} save={(body) => send("PUT", "", body)} />
      <Threads review={review} people={people} send={send} />
    </section>
  );
}

interface ProgressProps {
  review: Review;
  people: (field: string | null) => Promise<Person[]>;
  save: (body: unknown) => Promise<boolean>;
}

/** The stage, who looks at it, and until when. What is chosen is saved by a button: it may send mail. */
function Progress({ review, people, save }: ProgressProps) {
  const [stage, setStage] = useState(review.stage ?? "");
  const [assignee, setAssignee] = useState(review.assignee?.id ?? "");
  const [due, setDue] = useState(review.due ?? "");
  const [choices, setChoices] = useState<readonly Person[]>([]);
  const [busy, setBusy] = useState(false);
  useEffect(() => void (review.mayChange && people(null).then(setChoices)), []);
  const changes = {
    ...(stage !== (review.stage ?? "") && { stage }),
    ...(assignee !== (review.assignee?.id ?? "") && { assignee }),
    ...(due !== (review.due ?? "") && { due }),
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    if (await save(changes)) {
      toast({ kind: "done", text: t("saved") });
      announce(t("saved"));
    }
    setBusy(false);
  };
  const needed = review.stages.find(({ id }) => id === review.publish);
  const known = review.assignee && !choices.some(({ id }) => id === review.assignee?.id) ? [review.assignee, ...choices] : choices;
  const options = [{ value: "", label: t("nobody") }, ...known.map(({ id, name }) => ({ value: id, label: name }))];
  const moves = review.stages.some(({ may }) => may);
  return (
    <form class="form-rows" onSubmit={(event) => void submit(event)}>
      {review.stages.length > 0 && (
        <Field label={t("stage")} help={needed && needed.id !== review.stage ? t("publish", { stage: needed.name }) : undefined}>
          {(wired) => (
            <Select {...wired} disabled={!moves} value={stage} onInput={setStage} options={review.stages.map(({ id, name, may }) => ({ value: id, label: name, disabled: !may && id !== review.stage }))} />
          )}
        </Field>
      )}
      {(review.mayChange || review.assignee) && (
        <Field label={t("assignee")}>{(wired) => <Select {...wired} disabled={!review.mayChange} value={assignee} onInput={setAssignee} options={options} />}</Field>
      )}
      {(review.mayChange || review.due) && (
        <Field label={t("due")}>{(wired) => <TextInput {...wired} type="date" disabled={!review.mayChange} value={due} onInput={setDue} />}</Field>
      )}
      {Object.keys(changes).length > 0 && (
        <Button small variant="primary" type="submit" busy={busy}>
          {t("save")}
        </Button>
      )}
    </form>
  );
}
