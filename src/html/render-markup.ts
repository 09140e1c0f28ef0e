import { channel } from 'node:diagnostics_channel';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type ComponentTime, timeComponents } from './time-components.js';

/** Message on `lookback:html:render`: one element tree was rendered. */
export interface RenderMessage {
  /** Name of the outermost component; empty for a plain element. */
  readonly name: string;
  /** Duration in milliseconds, with fractions. */
  readonly durationMs: number;
  /** Length of the markup in UTF-16 code units. */
  readonly length: number;
  /** Times by component name, at most 100, longest first. */
  readonly components: readonly ComponentTime[];
}

const rendered = channel('lookback:html:render');

/** Renders an element tree, and publishes a `RenderMessage` if there are subscribers. */
export function renderMarkup(tree: VNode): string {
  if (!rendered.hasSubscribers) return renderToString(tree);
  const begun = performance.now();
  const { markup, components } = timeComponents(() => renderToString(tree));
  const name = typeof tree.type === 'function' ? (tree.type.displayName ?? tree.type.name) : '';
  const durationMs = performance.now() - begun;
  const message: RenderMessage = { name, durationMs, length: markup.length, components };
  rendered.publish(message);
  return markup;
}
