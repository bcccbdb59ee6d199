// What keeps a document from being saved or published, as a list that leads to each place.

import { useEffect, useRef } from "preact/hooks";
import { t } from "../core/i18n";
import { type Attribute, componentOf } from "../core/schema";
import { Icon } from "../ui/icon";
import { useSheet } from "./context";
import type { FormStore } from "./form/form";
import type { Path } from "./form/shape";

const listed = 20;

/** Appears when Save or Publish was refused, and has the focus then. */
export function FaultSummary() {
  const sheet = useSheet();
  const { editing } = sheet;
  const form = editing.form.value;
  const box = useRef<HTMLDivElement>(null);
  const asked = editing.shownFaults.value;
  const last = useRef(asked);
  const sentFor = form.problems.sentFor.value;
  const refusals = editing.refusals.value;
  const faults = asked > 0 ? form.problems.visible() : [];
  useEffect(() => {
    if (asked === last.current) return;
    last.current = asked;
    const first = form.problems.visible()[0];
    if (first) sheet.show(first.path);
    else box.current?.focus();
  }, [asked]);
  if (asked === 0 || (faults.length === 0 && refusals.length === 0)) return null;
  return (
    <div class="faults" role="alert" tabIndex={-1} ref={box}>
      <h2>
        <Icon name="error" />
        {faults.length > 0 ? t(sentFor === "publish" && editing.type.draftAndPublish ? "faults.publish" : "faults.save", { n: faults.length }) : t("faults.refused")}
      </h2>
      <ul>
        {refusals.map((text) => (
          <li key={text}>{text}</li>
        ))}
        {faults.slice(0, listed).map((fault) => (
          <li key={fault.path.join("/") + fault.message}>
            <button type="button" class="link-button" onClick={() => sheet.show(fault.path)}>
              {placeName(form, editing.type.attributes, fault.path)}
            </button>{" "}
            {fault.message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A path in words: "Sections, Quote 2, Text". */
export function placeName(form: FormStore, attributes: readonly Attribute[], path: Path): string {
  const words: string[] = [];
  let inner = attributes;
  for (let i = 0; i < path.length; i++) {
    const step = path[i];
    if (typeof step === "number") {
      const at = path.slice(0, i);
      const component = componentOf(form.item(at, step)?.component ?? "");
      words.push(t("item.name", { name: component?.displayName ?? "", n: form.keys(at).peek().indexOf(step) + 1 }));
      inner = component?.attributes ?? [];
      continue;
    }
    const attribute = inner.find((a) => a.name === step);
    words.push(attribute?.label ?? String(step));
    if (attribute?.component && !attribute.repeatable) inner = componentOf(attribute.component)?.attributes ?? [];
  }
  return words.join(", ");
}
