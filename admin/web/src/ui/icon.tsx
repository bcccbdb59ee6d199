// Icons: our own drawings on a grid of 16, as paths of one stroke.

const paths = {
  home: "M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5",
  document: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  documents: "M5.5 4.5v-2h5l3 3v6h-2M2.5 4.5h5l3 3v6h-8zM7.5 4.5v3h3",
  single: "M3 3h10v10H3zM5.5 6h5M5.5 8.5h5M5.5 11h3",
  image: "M2.5 3h11v10h-11zM2.5 11l3.5-4 3 3 2-1.5 2.5 2.5M10.5 6h.01",
  folder: "M2 4h4l1.5 1.5H14v7.5H2z",
  "folder-plus": "M2 4h4l1.5 1.5H14v7.5H2zM8 7.3v4M6 9.3h4",
  grid: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  pulse: "M1.5 8h3l2-5 3 10 2-5h3",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3.5 8.5 6.5 11.5 12.5 5",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  left: "M10 4 6 8l4 4",
  right: "M6 4l4 4-4 4",
  back: "M7 4 3 8l4 4M3 8h10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  drag: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9M6.8 7v4M9.2 7v4",
  edit: "M3 13l.5-2.5 7.5-7.5 2 2L5.5 12.5zM9.5 4.5l2 2",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  duplicate: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3M9.5 7.5v4M7.5 9.5h4",
  link: "M6.5 9.5l3-3M7 5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7",
  unlink: "M7 5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7M3 3l10 10",
  external: "M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5",
  undo: "M5.5 3.5 2.5 6.5l3 3M2.5 6.5H9a3.5 3.5 0 0 1 0 7H6",
  redo: "M10.5 3.5l3 3-3 3M13.5 6.5H7a3.5 3.5 0 0 0 0 7h3",
  clock: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3l2 1.5",
  history: "M3 5.5A5.5 5.5 0 1 1 2.5 8M2.5 3v3h3M8 5.5V8l2 1.2",
  globe: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM2.5 8h11M8 2.5c-4 3.5-4 7.5 0 11 4-3.5 4-7.5 0-11z",
  person: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4",
  people: "M6 8a2.3 2.3 0 1 0 0-4.6A2.3 2.3 0 0 0 6 8zM1.5 13c.4-2.6 2.2-3.5 4.5-3.5s4.1.9 4.5 3.5M10.5 3.6a2.3 2.3 0 0 1 0 4.2M12 9.8c1.5.4 2.3 1.5 2.5 3.2",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  system: "M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",
  keyboard: "M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M4.5 9.5h7",
  signout: "M6.5 2.5h-4v11h4M6 8h7.5M10.5 5l3 3-3 3",
  warning: "M8 2.5 14 13H2zM8 6.5v3M8 11.2h.01",
  info: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 7.5v3M8 5.3h.01",
  error: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3.5M8 10.7h.01",
  offline: "M3 6.5a8 8 0 0 1 2.5-1.5M8 4.5c2 0 3.7.7 5 2M5 9a4.3 4.3 0 0 1 6 0M8 11.8h.01M2.5 2.5l11 11",
  upload: "M8 10.5V3M5 6l3-3 3 3M2.5 10v3h11v-3",
  download: "M8 3v7.5M5 7.5l3 3 3-3M2.5 10v3h11v-3",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  "eye-off": "M2 2l12 12M6 4c.6-.3 1.3-.5 2-.5 4 0 6.5 4.5 6.5 4.5s-.8 1.5-2.3 2.8M9.8 12.2c-.6.2-1.2.3-1.8.3C4 12.5 1.5 8 1.5 8s.8-1.5 2.3-2.8",
  filter: "M2.5 3.5h11L9.5 8.5v4l-3 1v-5z",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  sort: "M5 3v10M2.5 10.5 5 13l2.5-2.5M11 13V3M8.5 5.5 11 3l2.5 2.5",
  lock: "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  compare: "M8 2v12M2.5 4.5h3M2.5 8h3M2.5 11.5h3M10.5 4.5h3M10.5 8h3M10.5 11.5h3",
  expand: "M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9",
  collapse: "M13.5 6.5h-4v-4M9.5 6.5 14 2M2.5 9.5h4v4M6.5 9.5 2 14",
  bold: "M4.5 3h4a2.5 2.5 0 0 1 0 5h-4zM4.5 8H9a2.5 2.5 0 0 1 0 5H4.5z",
  italic: "M7 3h5M4 13h5M9.5 3l-3 10",
  underline: "M4.5 3v4.5a3.5 3.5 0 0 0 7 0V3M4 13.5h8",
  strike: "M11.5 5C11.5 3.7 10 3 8.2 3S5 3.8 5 5.3c0 3.3 6.5 1.9 6.5 5.2 0 1.5-1.5 2.5-3.5 2.5S4.5 12 4.5 10.7M2.5 8h11",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  "code-block": "M2.5 3h11v10h-11zM6.5 6 4.8 8l1.7 2M9.5 6l1.7 2-1.7 2",
  heading: "M4 3v10M12 3v10M4 8h8",
  quote: "M3 9.5c0-3 .8-5 3-6M3 9.5h3.5v3H3zM9 9.5c0-3 .8-5 3-6M9 9.5h3.5v3H9z",
  "list-bulleted": "M6.5 4h7M6.5 8h7M6.5 12h7M3 4h.01M3 8h.01M3 12h.01",
  "list-numbered": "M7 4h6.5M7 8h6.5M7 12h6.5M2.5 3l1-.5v3.5M2.5 10h2L2.5 13h2",
  indent: "M7 4h6.5M7 8h6.5M7 12h6.5M2.5 6l2 2-2 2",
  outdent: "M7 4h6.5M7 8h6.5M7 12h6.5M4.5 6l-2 2 2 2",
  calendar: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3",
  settings: "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4",
  component: "M8 1.8 11 4.8 8 7.8 5 4.8zM4.2 5.8l3 3-3 3-3-3zM11.8 5.8l3 3-3 3-3-3zM8 9.2l3 3-3 3-3-3z",
  publish: "M8 13V5M4.5 8.5 8 5l3.5 3.5M3 2.5h10",
  enter: "M13 4v5H4M7 6 4 9l3 3",
  comment: "M2.5 3h11v8H8l-3 2.5V11H2.5z",
  spark: "M8 2l1.4 4.6L14 8l-4.6 1.4L8 14 6.6 9.4 2 8l4.6-1.4z",
} as const;

export type IconName = keyof typeof paths;

/** Icons of dots, which need a thicker stroke. */
const dots: ReadonlySet<IconName> = new Set(["more", "drag"]);

/** Icons that point along the line, and the other way where lines are written to the left. */
const directed: ReadonlySet<IconName> = new Set(["left", "right", "back", "signout", "indent", "outdent", "list-bulleted", "list-numbered"]);

/** An icon beside a text that says the same: it is hidden from screen readers. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class={`icon${dots.has(name) ? " dots" : ""}${directed.has(name) ? " directed" : ""}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
