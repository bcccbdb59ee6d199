// Suggestions of the language model beside what they are made of. Each is taken or left; one
// after another is asked for.

import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "../core/live-region";
import type { Attribute } from "../core/schema";
import { Counterpart } from "../editor/locales/counterpart";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Icon } from "../ui/icon";
import { modelName, t } from "./words";

/** A place for which there is a suggestion. */
export interface Line {
  readonly attribute: Attribute;
  /** What the suggestion is made of, or takes the place of. */
  readonly before: unknown;
  readonly replaces?: boolean;
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
}

/** The suggestions that are taken. */
export type Taken = readonly { readonly line: Line; readonly value: unknown }[];

type State = { readonly is: "waiting" | "asking" | "taken" | "left" } | { readonly is: "ready"; readonly value: unknown } | { readonly is: "failed"; readonly why: string };

export interface SuggestionsProps {
  title: string;
  /** What is at the left, in words. */
  source: string;
  sourceLang?: string | undefined;
  lang?: string | undefined;
  lines: readonly Line[];
  onTake: (taken: Taken) => void;
  onClose: () => void;
}

export function SuggestionsDialog({ title, source, sourceLang, lang, lines, onTake, onClose }: SuggestionsProps) {
  const [states, setStates] = useState<readonly State[]>(() => lines.map(() => ({ is: "waiting" })));
  const list = useRef<HTMLUListElement>(null);
  const ends = useRef(new AbortController());
  const become = (at: number, state: State) => setStates((before) => before.map((one, i) => (i === at ? state : one)));
  const ask = async (at: number) => {
    become(at, { is: "asking" });
    const { signal } = ends.current;
    try {
      const value = await lines[at]!.ask(signal);
      if (!signal.aborted) become(at, { is: "ready", value });
    } catch (error) {
      if (!signal.aborted) become(at, { is: "failed", why: error instanceof Error ? error.message : String(error) });
    }
  };
  useEffect(() => {
    const end = (ends.current = new AbortController());
    void (async () => {
      for (let i = 0; i < lines.length && !end.signal.aborted; i++) await ask(i);
    })();
    return () => end.abort();
  }, []);
  const ready = states.flatMap((state, i) => (state.is === "ready" ? [{ line: lines[i]!, value: state.value, at: i }] : []));
  const isAsking = states.some(({ is }) => is === "asking" || is === "waiting");
  useEffect(() => {
    if (!isAsking && ready.length > 0) announce(t("ready", { n: ready.length }));
  }, [isAsking]);
  // The next suggestion has the focus, or else the button that closes.
  const decide = (decided: readonly (typeof ready)[number][], is: "taken" | "left") => {
    if (is === "taken") onTake(decided);
    announce(t(is));
    setStates((before) => before.map((state, i) => (decided.some(({ at }) => at === i) ? { is } : state)));
    const left = ready.filter((one) => !decided.includes(one));
    const next = left.find(({ at }) => at > (decided[0]?.at ?? 0)) ?? left[0];
    setTimeout(() => (next ? list.current?.querySelector<HTMLElement>(`[data-line="${next.at}"] .primary`) : list.current?.closest("dialog")?.querySelector<HTMLElement>(".dialog-foot .button"))?.focus());
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t("close")}</Button>
      {lines.length > 1 && (
        <Button variant="primary" disabled={ready.length === 0} onClick={() => decide(ready, "taken")}>
          {t("take-all", { n: ready.length })}
        </Button>
      )}
    </>
  );
  return (
    <Dialog open size="large" class="suggestions-dialog" title={title} onClose={onClose} footer={footer}>
      {lines.length === 0 ? (
        <Empty icon="spark" title={t("nothing")} />
      ) : (
        <>
          <p class="suggestions-by">
            <Icon name="spark" /> {t("by", { model: modelName() })}
          </p>
          <ul class="suggestions" ref={list}>
            {lines.map((line, i) => (
              <li key={line.attribute.name} data-line={i}>
                <h3>{line.attribute.label}</h3>
                <div class="suggestion-pair">
                  <div role="group" aria-label={source} lang={sourceLang}>
                    <p class="suggestion-of">{source}</p>
                    <Counterpart attribute={line.attribute} value={line.before} />
                  </div>
                  <Suggested line={line} state={states[i]!} lang={lang} onAgain={() => void ask(i)} onDecide={(is) => decide(ready.filter(({ at }) => at === i), is)} />
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

interface SuggestedProps {
  line: Line;
  state: State;
  lang: string | undefined;
  onAgain: () => void;
  onDecide: (is: "taken" | "left") => void;
}

function Suggested({ line, state, lang, onAgain, onDecide }: SuggestedProps) {
  const { label } = line.attribute;
  const name = t("suggestion", { model: modelName() });
  return (
    <div role="group" class="suggestion" data-state={state.is} aria-label={name} aria-busy={state.is === "asking"}>
      <p class="suggestion-of">
        <Icon name="spark" size={14} /> {name}
      </p>
      {state.is === "ready" && (
        <>
          <div lang={lang}>
            <Counterpart attribute={line.attribute} value={state.value} />
          </div>
          {line.replaces && <p class="field-help">{t("replaces")}</p>}
          <p class="suggestion-decision">
            <Button small variant="primary" aria-label={t("take-one", { label })} onClick={() => onDecide("taken")}>
              {t("take")}
            </Button>
            <Button small aria-label={t("leave-one", { label })} onClick={() => onDecide("left")}>
              {t("leave")}
            </Button>
          </p>
        </>
      )}
      {(state.is === "waiting" || state.is === "asking") && <p class="quiet-text">{t(state.is)}</p>}
      {(state.is === "taken" || state.is === "left") && (
        <p class="quiet-text">
          <Icon name={state.is === "taken" ? "check" : "minus"} size={14} /> {t(state.is)}
        </p>
      )}
      {state.is === "failed" && (
        <>
          <p class="field-error" role="alert">
            <Icon name="error" size={14} /> <span>{state.why}</span>
          </p>
          <Button small aria-label={t("again-one", { label })} onClick={onAgain}>
            {t("again")}
          </Button>
        </>
      )}
    </div>
  );
}
