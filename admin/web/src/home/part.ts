// The parts of the first screen, as /home answers them.

import type { ContentType } from "../core/schema";
import { attributeLabel } from "../screens/list/labels";
import { systemAttributes } from "../screens/list/operators";
import { leadsToOne } from "../screens/list/request";
import { t } from "./words";

/** The end of what a chart groups by if it counts months. */
export const ofMonth = ".month";

export interface HomePart {
  kind: "drafts" | "recent" | "reviews" | "scheduled" | "count" | "chart" | "note";
  /** Over the whole width. */
  wide?: boolean;
  title?: string;
  text?: string;
  type?: string;
  /** What a chart groups by: an attribute, one behind a relation, or the month of a date. */
  by?: string;
  /** Which entries: the query string of their list, without the question mark. */
  query?: string;
}

/** The types of attributes that a chart can group by, those with the fewest values first. */
const grouped: readonly string[] = ["enumeration", "boolean", "relation", "integer", "date", "string"];

/** The types of attributes that have a month. */
const dated: readonly string[] = ["date", "datetime", "timestamp"];

/** By what a chart of a type can group, with its words: values first, then months. */
export function groupings(type: ContentType, typeOf: (uid: string) => ContentType | undefined): { value: string; label: string }[] {
  const values = grouped.flatMap((kind) =>
    type.attributes
      .filter((attribute) => attribute.type === kind)
      .flatMap((attribute) => {
        if (kind !== "relation") return [{ value: attribute.name, label: attributeLabel(attribute) }];
        const target = leadsToOne(attribute) && typeOf(attribute.target ?? "");
        return target ? [{ value: `${attribute.name}.${target.mainField}`, label: attributeLabel(attribute) }] : [];
      }),
  );
  const months = [...type.attributes, ...systemAttributes(type)].filter((attribute) => dated.includes(attribute.type));
  return [...values, ...months.map((attribute) => ({ value: attribute.name + ofMonth, label: t("month", { by: attributeLabel(attribute) }) }))];
}
