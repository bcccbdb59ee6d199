// Which rows of a long list are in view, and where they stand.

/**
 * Browsers cut elements off that are higher than some millions of pixels. Higher lists
 * stand for more than they measure: a pixel of the scrollbar is then more than one of
 * the list.
 */
export const highest = 8_000_000; // px

export interface View {
  rows: number; // of the whole list
  rowHeight: number; // px
  height: number; // px of the list that are seen
  top: number; // px scrolled
}

export interface Window {
  first: number; // row
  end: number; // the row after the last
  offset: number; // px from the top of the list to the first row
  height: number; // px of the whole list
}

/**
 * windowOf is the window of rows to draw: those in view and a few beyond, no more than
 * `most` unless more are in view.
 */
export function windowOf(view: View, beyond = 8, most = 60): Window {
  const { rows, rowHeight } = view;
  const height = Math.min(rows * rowHeight, highest);
  const shift = Math.max(0, virtualTop(view) - view.top); // px that the scrollbar does not show
  const visible = Math.ceil(view.height / rowHeight) + 1;
  const spare = Math.max(0, Math.min(beyond, Math.floor((most - visible) / 2)));
  const seen = Math.min(Math.floor(virtualTop(view) / rowHeight), Math.max(0, rows - 1));
  const first = Math.max(0, seen - spare);
  return { first, end: Math.min(rows, seen + visible + spare), offset: first * rowHeight - shift, height };
}

/** virtualTop is how far a list is scrolled in pixels of its rows. */
function virtualTop({ rows, rowHeight, height, top }: View): number {
  const whole = rows * rowHeight;
  if (whole <= highest) return Math.max(0, Math.min(top, whole));
  return Math.max(0, Math.min(1, top / (highest - height))) * (whole - height);
}

/** topFor is where to scroll for a row to be seen whole: nowhere if it is already. */
export function topFor(row: number, view: View): number {
  const { rowHeight, height, rows } = view;
  const from = virtualTop(view);
  const wanted = Math.min(row * rowHeight, Math.max((row + 1) * rowHeight - height, from));
  if (wanted === from) return view.top;
  const whole = rows * rowHeight;
  return whole <= highest ? wanted : (wanted / (whole - height)) * (highest - height);
}
