// Fields in the order and widths of a layout. What draws one field is given to it, so that
// components, which have fields inside, need not know the kinds of fields.

import type { ComponentType } from "preact";
import type { Attribute, LayoutRow } from "../../core/schema";
import type { FieldProps } from "../context";
import type { FormStore } from "../form/form";
import type { Path } from "../form/shape";

/** Draws a field of any type, and is given to those that have fields inside. */
export type AnyField = ComponentType<FieldProps>;

/** What a field with fields inside is given. */
export interface OuterFieldProps extends FieldProps {
  Inner: AnyField;
}

export interface LayoutProps {
  Field: AnyField;
  form: FormStore;
  /** The path of the component; empty for the type. */
  path: Path;
  attributes: readonly Attribute[];
  /** Rows of fields. What is in none of them is shown where something is wrong with it. */
  layout: readonly LayoutRow[];
}

/** A long form is drawn in parts of so many rows, of which those out of sight cost nothing. */
const rowsOfPart = 10;
const longForm = 40; // rows
const rowHeight = 92; // px, about: what a part takes before it was in sight

export function Layout({ Field, form, path, attributes, layout }: LayoutProps) {
  const rows = rowsOf(attributes, layout);
  if (rows.length <= longForm) return <div class="form-rows">{rows.map((row) => rowOf(row, Field, form, path))}</div>;
  const parts = Array.from({ length: Math.ceil(rows.length / rowsOfPart) }, (_, i) => rows.slice(i * rowsOfPart, (i + 1) * rowsOfPart));
  return (
    <div class="form-rows">
      {parts.map((part, i) => (
        <div class="form-part" key={i} style={{ containIntrinsicBlockSize: `auto ${part.length * rowHeight}px` }}>
          {part.map((row) => rowOf(row, Field, form, path))}
        </div>
      ))}
    </div>
  );
}

function rowOf(row: readonly Cell[], Field: AnyField, form: FormStore, path: Path) {
  return (
    <div class="form-row" key={row[0]?.attribute.name}>
      {row.map(({ attribute, size }) => (
        <FormCell key={attribute.name} {...{ attribute, size, Field, form, path: [...path, attribute.name] }} />
      ))}
    </div>
  );
}

/** One field, unless its conditions or the layout hide it. */
function FormCell({ attribute, size, Field, form, path }: Cell & { Field: AnyField; form: FormStore; path: Path }) {
  const always = size > 0 && attribute.visible === undefined && attribute.shown === undefined;
  if (!always && !form.shows(path, attribute, size > 0)) return null;
  return (
    <div class="form-cell" style={{ gridColumn: `span ${size || 12}` }}>
      <Field form={form} path={path} attribute={attribute} />
    </div>
  );
}

interface Cell {
  attribute: Attribute;
  /** 0 where the layout leaves it out. */
  size: number;
}

/** The rows of the layout, and a row for each attribute that it leaves out. */
function rowsOf(attributes: readonly Attribute[], layout: LayoutProps["layout"]): Cell[][] {
  const left = new Map(attributes.map((a) => [a.name, a]));
  const rows = layout.map((row) =>
    row.flatMap(({ name, size }) => {
      const attribute = left.get(name);
      left.delete(name);
      return attribute ? [{ attribute, size }] : [];
    }),
  );
  for (const attribute of left.values()) rows.push([{ attribute, size: 0 }]);
  return rows.filter((row) => row.length > 0);
}
