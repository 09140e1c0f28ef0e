import type { VNode } from 'preact';

/** An icon of path data, drawn beside a word and silent for those who listen. */
export function Icon({ path }: { path: string }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
