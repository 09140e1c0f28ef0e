import type { VNode } from 'preact';

/** A decorative icon of SVG path data, hidden from screen readers. */
export function Icon({ path }: { path: string }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
