// Rich text and JSON, by the editors that are loaded when a page first has such a field.

import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../core/i18n";
import { schema } from "../../core/schema";
import type { MountEditor, TextEditor } from "../../core/text-editor";
import { toast, toastError } from "../../ui/toasts";
import { type FieldProps, useSheet } from "../context";
import { limitOf } from "../form/rules";
import { type MediaFile, nameOf, textOf } from "../form/shape";
import { step } from "../shortcuts";
import { upload } from "../upload";
import { Frame, useLock } from "./frame";
import { MediaPicker } from "./media-picker";
import { isSigned } from "./picture";

type Mount = MountEditor<unknown>;
type Load = () => Promise<Mount>;

const loadBlocks: Load = async () => (await import("../../blocks/mount")).mount;
const loadMarkdown: Load = async () => (await import("../../markdown/mount")).mount as Mount;
const loadJSON: Load = async () => (await import("../../json/mount")).mount as Mount;

export function BlocksField(props: FieldProps) {
  return <RichField {...props} load={loadBlocks} />;
}

export function RichTextField(props: FieldProps) {
  const value = props.form.value(props.path).value;
  return <RichField {...props} load={loadMarkdown} used={textOf(value).length} isText />;
}

export function JSONField(props: FieldProps) {
  return <RichField {...props} load={loadJSON} isText />;
}

interface RichProps extends FieldProps {
  load: Load;
  used?: number;
  /** The value is a text; otherwise null or a list. */
  isText?: boolean;
}

function RichField({ load, used, isText, ...props }: RichProps) {
  const limit = limitOf(props.attribute);
  return (
    <Frame {...props} labels="group" class="rich" {...(used !== undefined && { used })} limit={limit}>
      {(wired) => <Mounted {...props} key={nameOf(props.path)} load={load} isText={isText ?? false} id={wired.id} describedBy={wired["aria-describedby"]} invalid={wired["aria-invalid"] ?? false} />}
    </Frame>
  );
}

interface MountedProps extends FieldProps {
  load: Load;
  isText: boolean;
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}

function Mounted({ path, attribute, form, load, isText, id, describedBy, invalid }: MountedProps) {
  const sheet = useSheet();
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<TextEditor<unknown> | null>(null);
  const [asked, ask] = useState<((file: MediaFile | null) => void) | null>(null);
  const locked = useLock(attribute);
  const files = schema.value?.files ?? [];
  useEffect(() => {
    const value = form.value(path);
    let typed = value.peek();
    let left = false;
    load().then((mount) => {
      if (left || !place.current) return;
      typed = value.peek();
      editor.current = mount(place.current, {
        value: typed,
        label: attribute.label,
        id,
        describedBy,
        readOnly: locked,
        required: attribute.required,
        t,
        onChange: (changed, { merge }) => {
          typed = isText ? (changed ?? "") : changed;
          form.set(path, typed, merge === undefined ? {} : { merge: `${nameOf(path)} ${merge}` });
        },
        pickImage: files.includes("read") ? () => new Promise((choose) => ask(() => choose)) : undefined,
        uploadImage: files.includes("upload") ? uploadPicture : undefined,
        undo: () => void step(sheet, "undo"),
        redo: () => void step(sheet, "redo"),
      });
    }, toastError);
    const stop = value.subscribe((now) => {
      if (now === typed) return;
      typed = now;
      editor.current?.set(now, form.stepping);
    });
    return () => {
      left = true;
      stop();
      editor.current?.destroy();
      editor.current = null;
    };
  }, [form, nameOf(path)]);
  useEffect(() => editor.current?.setReadOnly(locked), [locked]);
  useEffect(() => editor.current?.describe(describedBy, invalid), [describedBy, invalid]);
  const choose = (file: MediaFile | null) => {
    const hidden = isSigned(file?.url); // its address expires, and a text stays
    if (file && hidden) toast({ kind: "error", text: t("media.private", { name: file.name }) });
    asked?.(hidden ? null : file);
    ask(null);
  };
  return (
    <>
      <div class="rich-place" ref={place} />
      {asked && <MediaPicker label={attribute.label} allowed={["images"]} many={false} onChoose={(list) => choose(list[0] ?? null)} onClose={() => choose(null)} />}
    </>
  );
}

async function uploadPicture(file: File): Promise<unknown> {
  try {
    return await upload(file).file;
  } catch (error) {
    toastError(error);
    return null;
  }
}
