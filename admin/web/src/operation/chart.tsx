// A small chart of one figure over time. What it shows is in words beside it, and in a table.

export interface ChartProps {
  title: string;
  /** The oldest first. */
  figures: readonly number[];
  /** A figure in words. */
  say: (figure: number) => string;
  /** The line below: the latest, the highest. */
  caption: string;
}

const width = 240;
const height = 56;

export function Chart({ title, figures, say, caption }: ChartProps) {
  const last = figures.at(-1);
  const points = pointsOf(figures);
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <strong>{last === undefined ? "–" : say(last)}</strong>
        <span class="quiet-text">{caption}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {points && <path class="chart-area" d={`M0 ${height} L${points} L${width} ${height}z`} />}
        {points && <path class="chart-line" d={`M${points}`} />}
      </svg>
    </figure>
  );
}

/** The points of a line from the left to the right edge, from nothing at the bottom up. */
export function pointsOf(figures: readonly number[]): string {
  if (figures.length < 2) return "";
  const most = Math.max(...figures) || 1;
  return figures
    .map((figure, i) => `${((i / (figures.length - 1)) * width).toFixed(1)} ${(height - 1 - (figure / most) * (height - 3)).toFixed(1)}`)
    .join(" L");
}
