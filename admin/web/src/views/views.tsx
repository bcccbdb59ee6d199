// Saved views of a list: what is searched, filtered and sorted by, and the columns; of the
// account, and shared ones.

import { useEffect, useRef, useState } from "preact/hooks";
import { request } from "../core/api";
import { catalogue } from "../core/i18n";
import { announce } from "../core/live-region";
import { segment } from "../core/router";
import { maySite } from "../core/session";
import type { Ask } from "../screens/list/address";
import type { List } from "../screens/list/model";
import { Button, IconButton } from "../ui/button";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Checkbox, TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { en } from "./messages/en";
import { questionOf, type View } from "./view";

const t = catalogue<keyof typeof en>("views", en);

export interface ViewsProps {
  list: List;
  ask: Ask;
  close: () => void;
}

export default function Views({ list, ask, close }: ViewsProps) {
  const path = `/views/${segment(list.type.uid)}`;
  const box = useRef<HTMLDivElement>(null);
  const [views, setViews] = useState<readonly View[] | null>(null);
  const load = () => request<View[]>("GET", path).then(({ data }) => setViews(data), toastError);
  useEffect(() => {
    box.current?.querySelector("input")?.focus(); // the popover was open before this was loaded
    void load();
  }, []);
  const choose = (view: View) => {
    ask(questionOf(view));
    if (view.columns?.length) list.choose(view.columns);
    announce(t("chosen", { name: view.name }));
    close();
  };
  const remove = (view: View) =>
    void request("DELETE", `${path}/${view.id}`, view.shared ? { query: { shared: "true" } } : {}).then(() => {
      toast({ kind: "done", text: t("removed", { name: view.name }) });
      return load();
    }, toastError);
  const save = async (name: string, shared: boolean) => {
    await request("POST", path, { body: viewOf(list, name, shared) });
    toast({ kind: "done", text: t("saved", { name }) });
    close();
  };
  return (
    <div ref={box}>
      <h2>{t("title")}</h2>
      {views?.length === 0 && <p class="quiet-text">{t("none")}</p>}
      {views && views.length > 0 && (
        <ul>
          {views.map((view) => (
            <li key={view.id}>
              <button type="button" class="menu-item" onClick={() => choose(view)}>
                <span class="menu-label">{view.name}</span>
                {view.shared && (
                  <span class="field-mark" data-tip={t("is-shared")}>
                    <Icon name="people" size={12} />
                    <span class="visually-hidden">{t("is-shared")}</span>
                  </span>
                )}
              </button>
              {(!view.shared || maySite("arrange")) && <IconButton small icon="trash" label={t("remove", { name: view.name })} onClick={() => remove(view)} />}
            </li>
          ))}
        </ul>
      )}
      <hr />
      <SaveForm save={save} />
    </div>
  );
}

function SaveForm({ save }: { save: (name: string, shared: boolean) => Promise<void> }) {
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!name.trim() || busy) return;
    setBusy(true);
    await save(name.trim(), shared).catch(toastError);
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Field label={t("name")}>{(wired) => <TextInput {...wired} maxLength={100} value={name} onInput={setName} placeholder={t("name-example")} />}</Field>
      {maySite("arrange") && (
        <Checkbox checked={shared} onInput={setShared}>
          {t("share")}
        </Checkbox>
      )}
      <Button small type="submit" busy={busy} aria-disabled={!name.trim() || undefined}>
        {t("save")}
      </Button>
    </form>
  );
}

/** What the list shows now, as a view. */
function viewOf(list: List, name: string, shared: boolean): Omit<View, "id"> {
  const { search, filters, order, status, locale } = list.question.peek();
  return {
    name,
    shared,
    ...(search && { search }),
    ...(filters.length > 0 && { filters }),
    ...(order && { order: `${order.descending ? "-" : ""}${order.path}` }),
    ...(status && { status }),
    ...(locale && { locale }),
    columns: list.columns.peek().map(({ key, chosenWidth }) => (chosenWidth === undefined ? { key } : { key, width: chosenWidth })),
  };
}
