// A value of another locale, to read. It is loaded when a locale is first shown beside.

import type { Attribute } from "../../core/schema";
import { Shown, ValueChange } from "../history/changes";
import { pictureOf, targetKey, targetOf, type Fields, type Target } from "../history/versions";
import { componentOf } from "../../core/schema";

export interface CounterpartProps {
  attribute: Attribute;
  value: unknown;
}

export function Counterpart({ attribute, value }: CounterpartProps) {
  const targets = new Map<string, Target>();
  gather(attribute, value, targets);
  return (
    <div class="beside-value">
      <Shown.Provider value={{ targets, all: true }}>
        <ValueChange attribute={attribute} before={value ?? null} after={value ?? null} />
      </Shown.Provider>
    </div>
  );
}

const identity = new Set(["id", "documentId", "locale", "status", "__type", "__contentType", "createdAt", "updatedAt", "publishedAt"]);

/** The titles of links, which the editor's entry has beside them. */
function gather(a: Attribute, value: unknown, targets: Map<string, Target>) {
  for (const each of [value].flat().filter((one): one is Fields => typeof one === "object" && one !== null)) {
    if (a.type === "media") {
      const picture = String(each.mime).startsWith("image/") ? { picture: pictureOf(each) } : {};
      targets.set(targetKey(targetOf(a, each), each.documentId), { title: String(each.name), ...picture });
    } else if (a.type === "relation") {
      const title = Object.entries(each).find(([name, text]) => !identity.has(name) && (typeof text === "string" || typeof text === "number"));
      targets.set(targetKey(targetOf(a, each), each.documentId), { title: String(title?.[1] ?? "") });
    } else if (a.type === "component" || a.type === "dynamiczone") {
      const component = componentOf(a.component ?? String(each.__component));
      for (const inner of component?.attributes ?? []) gather(inner, each[inner.name], targets);
    }
  }
}
