// What differs between two versions, field by field.

import { createContext, type VNode } from "preact";
import { useContext } from "preact/hooks";
import { formatDate, formatDateTime, formatNumber, t } from "../../core/i18n";
import { componentOf, type Attribute, type ContentType } from "../../core/schema";
import { formatted } from "../../json/scan";
import { same } from "./diff";
import { compareInstances, instanceKey, instancesOf, linkKey, type Instance, type InstanceChange } from "./instances";
import { BlocksChange, Struck, TextChange } from "./texts";
import { targetKey, targetOf, type Fields, type Target } from "./versions";

interface Context {
  targets: ReadonlyMap<string, Target>;
  /** Fields that are the same in both are shown too. */
  all: boolean;
}

export const Shown = createContext<Context>({ targets: new Map(), all: false });

interface ChangesProps extends Context {
  type: ContentType;
  before: Fields;
  after: Fields;
}

export function Changes({ type, before, after, targets, all }: ChangesProps) {
  const differing = type.attributes
    .filter((a) => a.name in before || a.name in after)
    .filter((a) => !same(before[a.name], after[a.name]));
  return (
    <Shown.Provider value={{ targets, all }}>
      {differing.length === 0 && <p class="history-same">{t("history.same")}</p>}
      <FieldChanges attributes={type.attributes} before={before} after={after} />
    </Shown.Provider>
  );
}

function FieldChanges({ attributes, before, after }: { attributes: readonly Attribute[]; before: Fields; after: Fields }) {
  const { all } = useContext(Shown);
  const shown = attributes.filter(
    (a) => (a.name in before || a.name in after) && (all || !same(before[a.name] ?? null, after[a.name] ?? null)),
  );
  return (
    <dl class="changes">
      {shown.map((a) => (
        <div key={a.name} class="change" data-changed={!same(before[a.name] ?? null, after[a.name] ?? null)}>
          <dt>{a.label}</dt>
          <dd>
            <ValueChange attribute={a} before={before[a.name] ?? null} after={after[a.name] ?? null} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ValueProps {
  attribute: Attribute;
  before: unknown;
  after: unknown;
}

const texts = new Set(["string", "text", "richtext", "email", "uid"]);

export function ValueChange(props: ValueProps) {
  const { attribute: a, before, after } = props;
  if (texts.has(a.type)) return <TextChange before={String(before ?? "")} after={String(after ?? "")} />;
  if (a.type === "blocks") return <BlocksChange before={before} after={after} />;
  if (a.type === "json") return <TextChange mono before={jsonOf(before)} after={jsonOf(after)} />;
  if (a.type === "relation" || a.type === "media") return <Links {...props} />;
  if (a.type === "component" || a.type === "dynamiczone") return <Components {...props} />;
  if (same(before, after)) return <>{plain(a, after)}</>;
  return (
    <span class="change-values">
      {before !== null && <Struck is="removed">{plain(a, before)}</Struck>}
      {after !== null && <Struck is="added">{plain(a, after)}</Struck>}
    </span>
  );
}

const jsonOf = (value: unknown): string => (value === null || value === undefined ? "" : formatted(JSON.stringify(value)));

/** A value in words. */
function plain(a: Attribute, value: unknown): string {
  if (value === null || value === undefined || value === "") return t("history.empty");
  if (typeof value === "boolean") return t(value ? "history.yes" : "history.no");
  if (typeof value === "number") return formatNumber(value);
  if (a.type === "datetime" || a.type === "timestamp") return formatDateTime(String(value));
  if (a.type === "date") return formatDate(String(value));
  return String(value);
}

/** What came, went, moved and stayed in a list of links. */
function Links({ attribute, before, after }: ValueProps) {
  const { targets } = useContext(Shown);
  const changes = compareInstances(instancesOf(before), instancesOf(after), linkKey);
  if (changes.length === 0) return <>{t("history.empty")}</>;
  return (
    <ul class="change-links">
      {changes.map((change) => {
        const link = (change.after ?? change.before)!;
        const target = targets.get(targetKey(targetOf(attribute, link), link.documentId));
        return (
          <li key={linkKey(link, change.place)}>
            <Struck is={change.is === "removed" || change.is === "added" ? change.is : "same"}>
              {target?.picture && <img src={target.picture} alt="" width={32} height={32} loading="lazy" />}
              <span>{target?.title || t("history.untitled")}</span>
            </Struck>
            {change.is === "moved" && <span class="change-word">{t("history.moved", { n: change.place })}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Components, each with what differs in it. */
function Components({ attribute, before, after }: ValueProps) {
  const { all } = useContext(Shown);
  const changes = compareInstances(instancesOf(before), instancesOf(after), instanceKey);
  if (changes.length === 0) return <>{t("history.empty")}</>;
  return (
    <ol class="change-parts">
      {changes
        .filter(({ is }) => all || is !== "same")
        .map((change) => (
          <li key={`${change.is} ${change.place}`} class={`change-part ${change.is}`}>
            <Component attribute={attribute} change={change} single={!attribute.repeatable && attribute.type === "component"} />
          </li>
        ))}
    </ol>
  );
}

function Component({ attribute, change, single }: { attribute: Attribute; change: InstanceChange; single: boolean }): VNode {
  const one: Instance = (change.after ?? change.before)!;
  const component = componentOf(attribute.component ?? one.__component ?? "");
  return (
    <>
      <p class="change-part-name">
        {!single && `${change.place}. `}
        {component?.displayName ?? one.__component}
        {change.is !== "same" && change.is !== "changed" && <span class="change-word">{t(`history.part-${change.is}`)}</span>}
      </p>
      {component && change.is !== "moved" && (
        <FieldChanges attributes={component.attributes} before={change.before ?? {}} after={change.after ?? {}} />
      )}
    </>
  );
}
