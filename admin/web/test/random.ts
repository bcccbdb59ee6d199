// Random numbers that a seed repeats.

export interface Random {
  /** A whole number from 0 to n-1. */
  below: (n: number) => number;
  chance: (p: number) => boolean;
  pick: <T>(from: readonly T[]) => T;
  /** Between least and most of what make gives. */
  some: <T>(least: number, most: number, make: () => T) => T[];
}

export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    below,
    chance: (p) => next() < p,
    pick: (from) => from[below(from.length)]!,
    some: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make),
  };
}
