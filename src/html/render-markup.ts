import { channel } from 'node:diagnostics_channel';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type ComponentTime, timeComponents } from './time-components.js';

/** Message on `lookback:html:render`: one element tree was made markup. */
export interface RenderMessage {
  /** Of the outermost component; empty where it is a plain element. */
  readonly name: string;
  /** Milliseconds, with fractions. */
  readonly durationMs: number;
  /** UTF-16 units of the markup. */
  readonly length: number;
  /** Its components by their names, at most 100, the longest first. */
  readonly components: readonly ComponentTime[];
}

const rendered = channel('lookback:html:render');

/** An element tree as markup. */
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
