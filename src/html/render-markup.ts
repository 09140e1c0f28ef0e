import { channel } from 'node:diagnostics_channel';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Message on `lookback:html:render`: one element tree was made markup. */
export interface RenderMessage {
  /** Of the outermost component; empty where it is a plain element. */
  readonly name: string;
  /** Milliseconds, with fractions. */
  readonly durationMs: number;
  /** UTF-16 units of the markup. */
  readonly length: number;
}

const rendered = channel('lookback:html:render');

/** An element tree as markup. */
export function renderMarkup(tree: VNode): string {
  if (!rendered.hasSubscribers) return renderToString(tree);
  const begun = performance.now();
  const markup = renderToString(tree);
  const name = typeof tree.type === 'function' ? (tree.type.displayName ?? tree.type.name) : '';
  const message: RenderMessage = { name, durationMs: performance.now() - begun, length: markup.length };
  rendered.publish(message);
  return markup;
}
