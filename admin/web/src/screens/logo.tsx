// The sign of Quire: sheets folded into one another.

export function Logo({ size }: { size: number }) {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M7 8.5l9 4 9-4M7 14.5l9 4 9-4M7 20.5l9 4 9-4" />
    </svg>
  );
}
