// The kinds of fields: which one an attribute has.

import type { ComponentType } from "preact";
import type { Attribute, ContentType } from "../../core/schema";
import type { FieldProps } from "../context";
import type { FormStore } from "../form/form";
import { TypeLayout } from "./type-layout";
import { BesideField } from "../locales/beside";
import { BooleanField, EnumerationField } from "./choice";
import { ListField, SlotField } from "./components";
import type { OuterFieldProps } from "./layout";
import { MediaField } from "./media";
import { DateField, DateTimeField, TimeField } from "./moment";
import { NumberField } from "./number";
import { RelationField } from "./relation";
import { BlocksField, JSONField, RichTextField } from "./rich";
import { EmailField, PasswordField, StringField, TextField } from "./text";
import { UIDField } from "./uid";

const fields: Record<Attribute["type"], ComponentType<OuterFieldProps>> = {
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

/** The fields of a type, and those of the components in them. */
export function Fields(props: { form: FormStore; type: ContentType; titleFirst?: boolean }) {
  return <TypeLayout {...props} Field={OneField} />;
}

function OneField(props: FieldProps) {
  const Field = props.attribute.repeatable ? ListField : fields[props.attribute.type];
  return (
    <BesideField {...props}>
      <Field {...props} Inner={OneField} />
    </BesideField>
  );
}
