// A picture is turned and cut. The server keeps its original, and each edit starts from that.

import { useEffect, useRef, useState } from "preact/hooks";
import { content } from "../core/api";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Select, TextInput } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { all, type Corner, fitted, moved, type Part, ratios, type Size, stretched, turned, typed } from "./crop";
import type { MediaFile } from "./library";
import { t } from "./words";

/** Whether the server can edit a file. */
export function isEditable(file: MediaFile): boolean {
  return ["image/jpeg", "image/png", "image/webp"].includes(file.mime) && !!file.width && !!file.height;
}

const corners = ["nw", "ne", "sw", "se"] as const;
const numbers = ["x", "y", "width", "height"] as const;

export function EditDialog({ file, address, before, onChange, onClose }: { file: MediaFile; address: string; before: () => Promise<void>; onChange: (file: MediaFile) => void; onClose: () => void }) {
  const upright: Size = { width: file.width ?? 1, height: file.height ?? 1 };
  const [turn, setTurn] = useState(0);
  const [part, setPart] = useState(all(upright));
  const [ratio, setRatio] = useState<keyof typeof ratios>("free");
  const [busy, setBusy] = useState(false);
  const tools = useRef<HTMLDivElement>(null);
  const edited = !!file.provider_metadata?.quire;
  const restored = useRef(false);
  useEffect(() => {
    if (restored.current) tools.current?.querySelector("button")?.focus();
  }, [edited]);
  const size: Size = turn % 180 === 0 ? upright : { width: upright.height, height: upright.width };
  const cuts = part.width < size.width || part.height < size.height;
  const rotate = (clockwise: boolean) => {
    setTurn((turn + (clockwise ? 90 : 270)) % 360);
    setPart(turned(part, size, clockwise));
    if (ratio !== "1:1") setRatio("free");
  };
  const ask = async (method: "PUT" | "DELETE", said: "edit.saved" | "edit.restored") => {
    setBusy(true);
    try {
      await before();
      const body = { rotate: turn, ...(cuts && { crop: part }) };
      const { data } = await content<MediaFile>(method, `/upload/files/${file.documentId}/edit`, method === "PUT" ? { body } : {});
      onChange(data);
      toast({ kind: "done", text: t(said, { name: file.name }) });
      if (method === "PUT") return onClose();
      restored.current = true;
      setPart(all({ width: data.width ?? 1, height: data.height ?? 1 }));
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <Dialog
      open
      size="large"
      class="media-edit"
      title={t("edit.title", { name: file.name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("close")}</Button>
          {edited ? (
            <Button variant="primary" busy={busy} onClick={() => void ask("DELETE", "edit.restored")}>
              {t("edit.restore")}
            </Button>
          ) : (
            <Button variant="primary" busy={busy} disabled={turn === 0 && !cuts} onClick={() => void ask("PUT", "edit.saved")}>
              {t("save")}
            </Button>
          )}
        </>
      }
    >
      <Canvas file={file} address={address} turn={turn} size={size} part={edited ? null : part} ratio={ratios[ratio]} onPart={setPart} />
      {edited ? (
        <p>{t("edit.edited")}</p>
      ) : (
        <>
          <div class="media-edit-tools" ref={tools}>
            <Button icon="undo" onClick={() => rotate(false)}>
              {t("edit.left")}
            </Button>
            <Button icon="redo" onClick={() => rotate(true)}>
              {t("edit.right")}
            </Button>
            <Field label={t("edit.ratio")} class="media-edit-ratio">
              {(wired) => (
                <Select
                  {...wired}
                  value={ratio}
                  onInput={(value) => {
                    const to = value as keyof typeof ratios;
                    setRatio(to);
                    setPart(fitted(part, size, ratios[to]));
                  }}
                  options={Object.keys(ratios).map((value) => ({ value, label: value === "free" ? t("edit.free") : value }))}
                />
              )}
            </Field>
          </div>
          <fieldset class="media-edit-numbers">
            <legend>{t("edit.part")}</legend>
            {numbers.map((key) => (
              <Pixels key={key} label={t(`edit.${key}`)} value={part[key]} most={key === "x" || key === "width" ? size.width : size.height} onInput={(n) => setPart(typed(part, key, n, size, ratios[ratio]))} />
            ))}
          </fieldset>
          <p class="quiet-text" role="status">
            {t("edit.result", { width: part.width, height: part.height })}
          </p>
        </>
      )}
    </Dialog>
  );
}

/** A number of pixels, which stays as it is typed until the field is left. */
function Pixels({ label, value, most, onInput }: { label: string; value: number; most: number; onInput: (n: number) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  const type = (text: string) => {
    setDraft(text);
    if (/^\d+$/.test(text)) onInput(Number(text));
  };
  return (
    <Field label={label}>
      {(wired) => <TextInput {...wired} type="number" inputMode="numeric" min={0} max={most} step={1} value={draft ?? String(value)} onInput={type} onBlur={() => setDraft(null)} />}
    </Field>
  );
}

interface CanvasProps {
  file: MediaFile;
  address: string;
  turn: number;
  size: Size;
  part: Part | null;
  ratio: number;
  onPart: (part: Part) => void;
}

/** The picture as it is turned, and over it the part that is kept. */
function Canvas({ file, address, turn, size, part, ratio, onPart }: CanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const drag = useRef<{ part: Part; corner: Corner | null; x: number; y: number } | null>(null);
  const percent = (n: number, of: number) => `${(n / of) * 100}%`;
  const sideways = turn % 180 !== 0;
  const begin = (event: PointerEvent, corner: Corner | null) => {
    if (!part || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    drag.current = { part, corner, x: event.clientX, y: event.clientY };
  };
  const go = (event: PointerEvent) => {
    const { current: from } = drag;
    if (!from || !frame.current) return;
    event.stopPropagation();
    const pixel = size.width / frame.current.clientWidth;
    const x = (event.clientX - from.x) * pixel;
    const y = (event.clientY - from.y) * pixel;
    onPart(from.corner ? stretched(from.part, from.corner, x, y, size, ratio) : moved(from.part, from.part.x + x, from.part.y + y, size));
  };
  const handlers = (corner: Corner | null) => ({
    onPointerDown: (event: PointerEvent) => begin(event, corner),
    onPointerMove: go,
    onPointerUp: () => (drag.current = null),
    onPointerCancel: () => (drag.current = null),
  });
  return (
    <div class="media-edit-stage">
      <div ref={frame} class="media-edit-frame" style={{ aspectRatio: `${size.width} / ${size.height}`, width: `min(100%, ${(36 * size.width) / size.height}vh, ${size.width}px)` }}>
        <img
          src={address}
          alt={file.alternativeText || file.name}
          draggable={false}
          style={{ width: sideways ? percent(size.height, size.width) : "100%", height: sideways ? percent(size.width, size.height) : "100%", transform: `translate(-50%, -50%) rotate(${turn}deg)` }}
        />
        {part && (
          <div
            class="media-edit-part"
            style={{ left: percent(part.x, size.width), top: percent(part.y, size.height), width: percent(part.width, size.width), height: percent(part.height, size.height) }}
            {...handlers(null)}
          >
            {corners.map((corner) => (
              <span key={corner} class={`media-edit-corner ${corner}`} {...handlers(corner)} />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
