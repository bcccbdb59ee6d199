// What people say about a document and its fields, in threads.

import { useEffect, useRef, useState } from "preact/hooks";
import { formatAgo, formatDateTime } from "../core/i18n";
import { announce } from "../core/live-region";
import { useSheet } from "../editor/context";
import { Button, IconButton } from "../ui/button";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Select, TextArea } from "../ui/inputs";
import { type Comment, mentioned, nameOf, type Person, type Review, t } from "./words";

type Send = (method: "PUT" | "POST" | "DELETE", below: string, body?: unknown) => Promise<boolean>;

interface Shared {
  people: (field: string | null) => Promise<Person[]>;
  send: Send;
}

export function Threads({ review, ...shared }: Shared & { review: Review }) {
  const sheet = useSheet();
  const roots = review.comments.filter(({ thread }) => thread === null);
  const of = (root: Comment) => [root, ...review.comments.filter(({ thread }) => thread === root.id)];
  const open = roots.filter(({ resolved }) => !resolved);
  const done = roots.filter(({ resolved }) => resolved);
  const wanted = sheet.thread.value;
  useEffect(() => {
    if (wanted === null) return;
    sheet.thread.value = null;
    const thread = document.querySelector<HTMLElement>(`.thread[data-field="${CSS.escape(wanted)}"]`);
    thread?.scrollIntoView({ block: "center" });
    thread?.focus({ preventScroll: true });
  }, [wanted]);
  return (
    <>
      <h3>{t("comments")}</h3>
      {roots.length === 0 && <p class="quiet-text">{t("none")}</p>}
      {open.map((root) => (
        <Thread key={root.id} comments={of(root)} {...shared} />
      ))}
      {done.length > 0 && (
        <details class="side-fold">
          <summary>{t("resolved", { n: done.length })}</summary>
          {done.map((root) => (
            <Thread key={root.id} comments={of(root)} {...shared} />
          ))}
        </details>
      )}
      <NewComment {...shared} />
    </>
  );
}

function useLabel(): (field: string) => string {
  const { attributes } = useSheet().editing.type;
  return (field) => attributes.find(({ name }) => name === field)?.label ?? field;
}

function Thread({ comments, people, send }: Shared & { comments: Comment[] }) {
  const sheet = useSheet();
  const label = useLabel();
  const [answering, setAnswering] = useState(false);
  const root = comments[0]!;
  const { field } = root;
  const resolve = async (resolved: boolean) => {
    if ((await send("PUT", `/comments/${root.id}`, { resolved })) && resolved) announce(t("is-resolved"));
  };
  const answer = async (text: string, mentions: string[]) => {
    const sent = await send("POST", "/comments", { text, thread: root.id, mentions });
    if (sent) setAnswering(false);
    return sent;
  };
  return (
    <article class="thread" tabIndex={-1} data-field={field ?? undefined} aria-label={t("thread", { field: field ? label(field) : t("document") })}>
      {field && (
        <button type="button" class="thread-field" aria-label={t("to-field", { field: label(field) })} onClick={() => sheet.show([field])}>
          <Icon name="comment" size={12} />
          {label(field)}
        </button>
      )}
      {comments.map((comment) => (
        <div class="comment" key={comment.id}>
          <p class="comment-head">
            <strong>{nameOf(comment.by)}</strong>{" "}
            <time class="quiet-text" dateTime={comment.at} data-tip={formatDateTime(comment.at)}>
              {formatAgo(comment.at)}
            </time>
            {comment.own && <IconButton small icon="trash" label={t("remove")} onClick={() => void send("DELETE", `/comments/${comment.id}`).then((gone) => gone && announce(t("removed")))} />}
          </p>
          <p class="comment-text" dir="auto">
            {comment.text}
          </p>
        </div>
      ))}
      {root.resolved && <p class="quiet-text">{t("resolved-by", { name: nameOf(root.resolved.by) })}</p>}
      {answering ? (
        <Write label={t("answer-to", { name: nameOf(root.by) })} action={t("send-answer")} field={field} people={people} send={answer} close={() => setAnswering(false)} />
      ) : (
        <div class="thread-actions">
          <Button small variant="quiet" onClick={() => setAnswering(true)}>
            {t("answer")}
          </Button>
          <Button small variant="quiet" icon={root.resolved ? "undo" : "check"} onClick={() => void resolve(!root.resolved)}>
            {t(root.resolved ? "reopen" : "resolve")}
          </Button>
        </div>
      )}
    </article>
  );
}

function NewComment({ people, send }: Shared) {
  const { editing } = useSheet();
  const [field, setField] = useState("");
  const add = async (text: string, mentions: string[]) => {
    const sent = await send("POST", "/comments", { text, mentions, ...(field && { field }) });
    if (sent) announce(t("sent"));
    return sent;
  };
  return (
    <Write label={t("comment")} action={t("send")} field={field || null} people={people} send={add}>
      <Field label={t("about")}>
        {(wired) => (
          <Select {...wired} value={field} onInput={setField} options={[{ value: "", label: t("document") }, ...editing.type.attributes.map(({ name, label }) => ({ value: name, label }))]} />
        )}
      </Field>
    </Write>
  );
}

interface WriteProps {
  label: string;
  action: string;
  field: string | null;
  people: Shared["people"];
  send: (text: string, mentions: string[]) => Promise<boolean>;
  close?: () => void;
  children?: preact.ComponentChildren;
}

/** A text with mentions: after an @, the people who see the document can be chosen. */
function Write({ label, action, field, people, send, close, children }: WriteProps) {
  const box = useRef<HTMLFormElement>(null);
  const [text, setText] = useState("");
  const [known, setKnown] = useState<readonly Person[] | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => setKnown(null), [field]);
  useEffect(() => void (close && box.current?.querySelector("textarea")?.focus()), []);
  const begun = /(^|\s)@([^@\n]{0,40})$/.exec(text)?.[2];
  const asks = begun !== undefined;
  useEffect(() => {
    if (asks && !known) void people(field).then(setKnown);
  }, [asks, known]);
  const found = asks ? (known ?? []).filter(({ name }) => name.toLowerCase().startsWith(begun.toLowerCase()) && name !== begun.trim()).slice(0, 5) : [];
  const choose = (person: Person) => {
    setText(`${text.slice(0, text.length - (begun?.length ?? 0))}${person.name} `);
    box.current?.querySelector("textarea")?.focus();
  };
  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (busy || !text.trim()) return;
    setBusy(true);
    const all = text.includes("@") ? (known ?? (await people(field))) : [];
    if (await send(text.trim(), mentioned(text, all))) setText("");
    setBusy(false);
  };
  return (
    <form
      ref={box}
      class="form-rows comment-form"
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
        if (event.key === "Escape" && close) close();
      }}
    >
      <Field label={label} help={t("help")}>
        {(wired) => <TextArea {...wired} rows={2} maxLength={4000} value={text} onInput={setText} />}
      </Field>
      {found.length > 0 && (
        <ul class="mentions">
          {found.map((person) => (
            <li key={person.id}>
              <button type="button" class="menu-item" aria-label={t("mention", { name: person.name })} onClick={() => choose(person)}>
                @{person.name}
              </button>
            </li>
          ))}
        </ul>
      )}
      {children}
      <div class="thread-actions">
        <Button small type="submit" busy={busy} aria-disabled={!text.trim() || undefined}>
          {action}
        </Button>
        {close && (
          <Button small variant="quiet" onClick={close}>
            {t("cancel")}
          </Button>
        )}
      </div>
    </form>
  );
}
