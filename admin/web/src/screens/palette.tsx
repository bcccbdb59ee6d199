// The command palette: documents, types and commands by a few letters, by keys alone.

import { signal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { commands, formatKeys } from "../core/commands";
import { formatLocale, t } from "../core/i18n";
import { announce } from "../core/live-region";
import { navigate } from "../core/router";
import { documentPath, may, schema, typeOf, typePath, type Item } from "../core/schema";
import { hasWords, mark, wordsOf } from "../core/words";
import { Dialog } from "../ui/dialog";
import { Icon, type IconName } from "../ui/icon";
import { StatusBadge } from "../ui/status";
import { shownSections } from "./sections";

const open = signal(false);

export function openPalette() {
  open.value = true;
}

export function Palette() {
  return (
    <Dialog open={open.value} class="palette" title={t("palette.title")} hideHead onClose={() => (open.value = false)}>
      {open.value && <Finder />}
    </Dialog>
  );
}

interface Option {
  key: string;
  label: string;
  icon: IconName;
  keys?: string;
  item?: Item;
  run: () => void;
}

interface Group {
  title: string;
  options: Option[];
}

function Finder() {
  const id = useId();
  const [text, setText] = useState("");
  const [active, setActive] = useState<string | null>(null); // the key of what was chosen by hand
  const list = useRef<HTMLDivElement>(null);
  const { documents, pending } = useDocuments(text);
  const sections = [
    { title: text.trim() ? t("palette.documents") : t("palette.recent"), options: documents.map(documentOption) },
    ...(text.trim() ? [] : [{ title: t("palette.go"), options: goOptions() }]),
    ...(text.trim() ? localSections(text) : []),
  ].filter((section) => section.options.length > 0);
  const options = sections.flatMap((section) => section.options);
  const chosen = Math.max(0, options.findIndex((option) => option.key === active));

  useEffect(() => {
    if (text.trim() && !pending) announce(options.length > 0 ? t("palette.results", { n: options.length }) : t("nothing-found"));
  }, [options.length, text, pending]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen, documents]);

  const choose = (option: Option | undefined) => {
    if (!option) return;
    open.value = false;
    requestAnimationFrame(option.run); // the focus is back on the page by then
  };
  const keys = (event: KeyboardEvent) => {
    if (event.isComposing || options.length === 0) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: options.length - 1 };
    const step = steps[event.key];
    if (step !== undefined) setActive(options[(chosen + step) % options.length]?.key ?? null);
    else if (event.key === "Enter") choose(options[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          autofocus
          aria-label={t("palette.title")}
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={options.length > 0 ? `${id}-${chosen}` : undefined}
          placeholder={t("palette.placeholder")}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setActive(null);
          }}
          onKeyDown={keys}
        />
        <kbd>Esc</kbd>
      </div>
      <div ref={list} id={`${id}-list`} class="palette-list" role="listbox" aria-busy={pending} aria-label={t("palette.title")} tabIndex={-1}>
        {sections.map((section) => (
          <div key={section.title} role="group" aria-label={section.title}>
            <div class="menu-group" aria-hidden="true">
              {section.title}
            </div>
            {section.options.map((option) => {
              const at = options.indexOf(option);
              return (
                <div
                  key={option.key}
                  id={`${id}-${at}`}
                  class="menu-item"
                  role="option"
                  aria-selected={at === chosen}
                  onPointerMove={() => at !== chosen && setActive(option.key)}
                  onPointerDown={(event) => event.preventDefault()} // the field keeps the focus
                  onClick={() => choose(option)}
                >
                  <OptionRow option={option} text={text} />
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {options.length === 0 && !pending && <p class="palette-none">{t("palette.none", { text })}</p>}
    </>
  );
}

function OptionRow({ option, text }: { option: Option; text: string }) {
  return (
    <>
      <Icon name={option.icon} />
      <span class="menu-label truncate">
        <Marked label={option.label} text={text} />
      </span>
      {option.item && (
        <span class="palette-aside">
          {typeOf(option.item.uid)?.displayName}
          {option.item.locale && (schema.value?.locales.length ?? 0) > 1 ? ` · ${formatLocale(option.item.locale)}` : ""}
          <StatusBadge status={option.item.status} shapeOnly />
        </span>
      )}
      {option.keys && <kbd>{formatKeys(option.keys)}</kbd>}
    </>
  );
}

/** Marks the letters that were typed. */
function Marked({ label, text }: { label: string; text: string }) {
  return (
    <>
      {mark(label, wordsOf(text)).map((part, i) => (part.marked ? <mark key={i}>{part.text}</mark> : <Fragment key={i}>{part.text}</Fragment>))}
    </>
  );
}

/** What fits the text on the server, 60 ms after the last key; what was found stays until then. */
function useDocuments(text: string): { documents: Item[]; pending: boolean } {
  const wanted = text.trim();
  const [found, setFound] = useState<{ text: string | null; items: Item[] }>({ text: null, items: [] });
  useEffect(() => {
    const asked = new AbortController();
    const timer = setTimeout(async () => {
      try {
        setFound({ text: wanted, items: await findDocuments(wanted, asked.signal) });
      } catch (error) {
        if (error instanceof ApiError) setFound({ text: wanted, items: [] });
      }
    }, wanted ? 60 : 0);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [wanted]);
  return { documents: found.items, pending: found.text !== wanted };
}

async function findDocuments(text: string, signal: AbortSignal): Promise<Item[]> {
  if (text) return (await request<Item[]>("GET", "/search", { query: { q: text }, signal })).data;
  const { data } = await request<{ recent: Item[] }>("GET", "/home", { signal });
  return data.recent.slice(0, 5);
}

/** Goes to a page, and on from there by keys. */
async function show(path: string) {
  if (await navigate(path)) document.getElementById("main")?.focus({ preventScroll: true });
}

function go(path: string) {
  void show(path);
}

function documentOption(item: Item): Option {
  return {
    key: `${item.uid} ${item.documentId} ${item.locale}`,
    label: item.title || t("untitled"),
    icon: "document",
    item,
    run: () => go(documentPath(item.uid, item.documentId, item.locale)),
  };
}

function goOptions(): Option[] {
  const types = schema.value?.types ?? [];
  return [
    { key: "home", label: t("shell.home"), icon: "home" as const, run: () => go("/") },
    ...types.map((type) => ({
      key: type.uid,
      label: type.displayName,
      icon: type.kind === "singleType" ? ("single" as const) : ("documents" as const),
      run: () => go(typePath(type)),
    })),
    ...shownSections().map(({ path, icon, label }) => ({ key: path, label: t(label), icon, run: () => go(path) })),
  ];
}

function createOptions(): Option[] {
  return (schema.value?.types ?? [])
    .filter((type) => type.kind === "collectionType" && may(type, "create"))
    .map((type) => ({
      key: `create ${type.uid}`,
      label: t("palette.create-type", { type: type.displayName }),
      icon: "plus",
      run: () => go(`/content/${type.uid}/new`),
    }));
}

function commandOptions(): Option[] {
  return commands()
    .filter((command) => !command.keysOnly)
    .map(({ label, icon, keys, run }) => ({ key: label, label, icon: icon ?? "spark", keys, run }));
}

/** What fits the text among types and commands; where it begins the label comes first. */
function localSections(text: string): Group[] {
  const words = wordsOf(text);
  const begins = (option: Option) => (option.label.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1);
  const sections = [
    { title: t("palette.actions"), options: commandOptions() },
    { title: t("palette.go"), options: goOptions() },
    { title: t("palette.create"), options: createOptions() },
  ];
  return sections.map(({ title, options }) => ({ title, options: options.filter((option) => hasWords(option.label, words)).sort((a, b) => begins(a) - begins(b)) }));
}
