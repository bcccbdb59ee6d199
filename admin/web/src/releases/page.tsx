// Releases: their list, the calendar of what is to come, and each of them.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { t as common } from "../core/i18n";
import { Link, match, navigate, place, useTitle } from "../core/router";
import { SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { toastError } from "../ui/toasts";
import { Calendar } from "./calendar";
import { NameDialog } from "./dialogs";
import { One } from "./one";
import { createRelease, listReleases, type Release, type State } from "./release";
import { whenOf } from "./state";
import { t } from "./words";

export default function Page() {
  const path = place.value.path;
  if (path === "/releases/calendar") {
    return (
      <Frame title={t("calendar")}>
        <Calendar />
      </Frame>
    );
  }
  const one = match("/releases/:id", path);
  if (one?.id) return <One key={one.id} id={one.id} />;
  return (
    <Frame title={t("title")}>
      <List />
    </Frame>
  );
}

/** What the list and the calendar have in common. */
function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  const naming = useSignal(false);
  useTitle(title === t("title") ? title : `${title} · ${t("title")}`);
  const create = async (name: string) => {
    const made = await createRelease({ name });
    await navigate(`/releases/${made.id}`);
  };
  return (
    <div class="page section-page">
      <header class="section-head release-head">
        <h1>{t("title")}</h1>
        <Button variant="primary" icon="plus" onClick={() => (naming.value = true)}>
          {t("new")}
        </Button>
      </header>
      <nav class="section-nav" aria-label={t("title")}>
        <Link class="tab" to="/releases">
          {t("list")}
        </Link>
        <Link class="tab" to="/releases/calendar">
          {t("calendar")}
        </Link>
      </nav>
      {children}
      {naming.value && <NameDialog title={t("new")} action={common("create")} name="" send={create} onClose={() => (naming.value = false)} />}
    </div>
  );
}

const order: readonly State[] = ["failed", "scheduled", "planned", "done"];

function List() {
  const list = useSignal<readonly Release[] | null>(null);
  useEffect(() => {
    listReleases().then((all) => (list.value = all), toastError);
  }, []);
  const all = list.value;
  if (!all) return null;
  if (all.length === 0) {
    return (
      <Empty icon="calendar" title={t("none")}>
        {t("none-text")}
      </Empty>
    );
  }
  return (
    <>
      {order.map((state) => {
        const of = all.filter((one) => one.state === state);
        return of.length > 0 && <Releases key={state} state={state} of={state === "scheduled" ? of.sort((a, b) => String(a.at).localeCompare(String(b.at))) : of} />;
      })}
    </>
  );
}

function Releases({ state, of }: { state: State; of: readonly Release[] }) {
  return (
    <section class="section-part" aria-label={t(`group-${state}`)}>
      <h2>{t(`group-${state}`)}</h2>
      <SectionTable shownOnly columns={[t("name"), t("documents"), t("when")]} class="release-table">
        {of.map((one) => (
          <tr key={one.id}>
            <th scope="row">
              <Link class="release-link" dir="auto" to={`/releases/${one.id}`}>
                {one.name}
              </Link>
            </th>
            <td data-label={t("documents")}>{t("count", { n: one.stepCount })}</td>
            <td data-label={t("when")}>{whenOf(one)}</td>
          </tr>
        ))}
      </SectionTable>
    </section>
  );
}
