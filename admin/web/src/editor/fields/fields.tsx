// The fields of a type or a component, in the order and widths of its layout.

import type { ComponentType } from "preact";
import type { Attribute } from "../../core/schema";
import type { FieldProps } from "../context";
import type { FormStore } from "../form/form";
import type { Path } from "../form/shape";
import { BesideField } from "../locales/beside";
import { BooleanField, EnumerationField } from "./choice";
import { ListField, SlotField } from "./components";
import { MediaField } from "./media";
import { DateField, DateTimeField, TimeField } from "./moment";
import { NumberField } from "./number";
import { RelationField } from "./relation";
import { BlocksField, JSONField, RichTextField } from "./rich";
import { EmailField, PasswordField, StringField, TextField } from "./text";
import { UIDField } from "./uid";

const fields: Record<Attribute["type"], ComponentType<FieldProps>> = {
  string: StringField,
  text: TextField,
  richtext: RichTextField,
  blocks: BlocksField,
  email: EmailField,
  password: PasswordField,
  uid: UIDField,
  enumeration: EnumerationField,
  integer: NumberField,
  biginteger: NumberField,
  float: NumberField,
  decimal: NumberField,
  boolean: BooleanField,
  date: DateField,
  time: TimeField,
  datetime: DateTimeField,
  timestamp: DateTimeField,
  json: JSONField,
  media: MediaField,
  relation: RelationField,
  component: SlotField,
  dynamiczone: ListField,
};

export interface FieldsProps {
  form: FormStore;
  /** The path of the component; empty for the type. */
  path: Path;
  attributes: readonly Attribute[];
  /** Rows of names with their widths in twelfths; without it each field has a row. */
  layout?: readonly (readonly { name: string; size: number }[])[];
}

/** A long form is drawn in parts of so many rows, of which those out of sight cost nothing. */
const rowsOfPart = 10;
const longForm = 40; // rows
const rowHeight = 92; // px, about: what a part takes before it was in sight

export function Fields({ form, path, attributes, layout }: FieldsProps) {
  const rows = rowsOf(attributes, layout);
  if (rows.length <= longForm) return <div class="form-rows">{rows.map((row) => rowOf(row, form, path))}</div>;
  const parts = Array.from({ length: Math.ceil(rows.length / rowsOfPart) }, (_, i) => rows.slice(i * rowsOfPart, (i + 1) * rowsOfPart));
  return (
    <div class="form-rows">
      {parts.map((part, i) => (
        <div class="form-part" key={i} style={{ containIntrinsicBlockSize: `auto ${part.length * rowHeight}px` }}>
          {part.map((row) => rowOf(row, form, path))}
        </div>
      ))}
    </div>
  );
}

function rowOf(row: readonly Cell[], form: FormStore, path: Path) {
  return (
    <div class="form-row" key={row[0]?.attribute.name}>
      {row.map(({ attribute, size }) => (
        <div class="form-cell" key={attribute.name} style={{ gridColumn: `span ${size}` }}>
          <OneField form={form} path={[...path, attribute.name]} attribute={attribute} />
        </div>
      ))}
    </div>
  );
}

function OneField(props: FieldProps) {
  const Field = props.attribute.repeatable ? ListField : fields[props.attribute.type];
  return (
    <BesideField {...props}>
      <Field {...props} />
    </BesideField>
  );
}

interface Cell {
  attribute: Attribute;
  size: number;
}

/** The rows of the layout, and a row for each attribute that it leaves out. */
function rowsOf(attributes: readonly Attribute[], layout: FieldsProps["layout"] = []): Cell[][] {
  const left = new Map(attributes.map((a) => [a.name, a]));
  const rows = layout.map((row) =>
    row.flatMap(({ name, size }) => {
      const attribute = left.get(name);
      left.delete(name);
      return attribute ? [{ attribute, size }] : [];
    }),
  );
  for (const attribute of left.values()) rows.push([{ attribute, size: 12 }]);
  return rows.filter((row) => row.length > 0);
}
