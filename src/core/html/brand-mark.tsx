import type { VNode } from 'preact';
import { brandShapes } from './assets.js';

/** The project's logo in its three colours, hidden from screen readers because the name is next to it. */
export function BrandMark(): VNode {
  const [app, database, http] = brandShapes;
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path class="c-app" d={app} />
      <path class="c-database" d={database} />
      <path class="c-http" d={http} />
    </svg>
  );
}
