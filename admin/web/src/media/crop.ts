// Rectangles of whole pixels: the part of a picture that is kept.

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Part extends Size {
  readonly x: number;
  readonly y: number;
}

export type Corner = "nw" | "ne" | "sw" | "se";

/** Width by height; 0 is any. */
export const ratios = { free: 0, "1:1": 1, "4:3": 4 / 3, "16:9": 16 / 9 } as const;

const within = (n: number, least: number, most: number) => Math.max(least, Math.min(most, Math.round(n)));

export const all = ({ width, height }: Size): Part => ({ x: 0, y: 0, width, height });

/** The same part after the picture was turned by a quarter. */
export function turned(part: Part, of: Size, clockwise: boolean): Part {
  const { x, y, width, height } = part;
  return { x: clockwise ? of.height - y - height : y, y: clockwise ? x : of.width - x - width, width: height, height: width };
}

export function moved(part: Part, x: number, y: number, of: Size): Part {
  return { ...part, x: within(x, 0, of.width - part.width), y: within(y, 0, of.height - part.height) };
}

/** Drags a corner, while the one opposite stays where it is. With a ratio the width decides. */
export function stretched(part: Part, corner: Corner, x: number, y: number, of: Size, ratio: number): Part {
  const west = corner.endsWith("w");
  const north = corner.startsWith("n");
  const right = part.x + part.width;
  const bottom = part.y + part.height;
  const widest = west ? right : of.width - part.x;
  const highest = north ? bottom : of.height - part.y;
  const width = within(part.width + (west ? -x : x), 1, Math.min(widest, ratio ? Math.max(1, Math.floor(highest * ratio)) : widest));
  const height = within(ratio ? width / ratio : part.height + (north ? -y : y), 1, highest);
  return { x: west ? right - width : part.x, y: north ? bottom - height : part.y, width, height };
}

/** The largest part of a ratio, as near around the centre of another as it goes. */
export function fitted(part: Part, of: Size, ratio: number): Part {
  if (!ratio) return part;
  const width = within(Math.min(of.width, of.height * ratio), 1, of.width);
  const height = within(width / ratio, 1, of.height);
  return moved({ ...part, width, height }, part.x + (part.width - width) / 2, part.y + (part.height - height) / 2, of);
}

/** The part with one of its numbers as somebody typed it. A new left or top edge cuts, unless there is a ratio: then it moves. */
export function typed(part: Part, key: keyof Part, n: number, of: Size, ratio: number): Part {
  if (key === "width" || key === "height") {
    const wide = key === "width" ? n : n * ratio;
    return stretched(part, "se", key === "width" || ratio ? wide - part.width : 0, key === "height" ? n - part.height : 0, of, ratio);
  }
  if (ratio) return moved(part, key === "x" ? n : part.x, key === "y" ? n : part.y, of);
  const x = key === "x" ? within(n, 0, of.width - 1) : part.x;
  const y = key === "y" ? within(n, 0, of.height - 1) : part.y;
  return { x, y, width: Math.min(part.width, of.width - x), height: Math.min(part.height, of.height - y) };
}
