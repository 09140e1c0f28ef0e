import { escapeHtml } from './escape-html.js';
import { SafeHtml } from './safe-html.js';

/** Text, or a span with a class and inner text or parts. The class `mark` renders a `mark` element instead. */
export type SpanPart = string | readonly [className: string, inner: string | readonly SpanPart[]];

/**
 * Renders spans with classes, such as highlighted code, without the cost of thousands of JSX elements. Text and class names
 * are escaped.
 */
export function renderSpans(parts: readonly SpanPart[]): SafeHtml {
  return new SafeHtml(spans(parts));
}

function spans(parts: readonly SpanPart[]): string {
  let out = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      out += escapeHtml(part);
      continue;
    }
    const [className, inner] = part;
    const text = typeof inner === 'string' ? escapeHtml(inner) : spans(inner);
    if (className === 'mark') out += `<mark>${text}</mark>`;
    else out += `<span class="${escapeHtml(className)}">${text}</span>`;
  }
  return out;
}
