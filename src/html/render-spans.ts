import { escapeHtml } from './escape-html.js';
import { SafeHtml } from './safe-html.js';

/** Text, or text or further parts inside a span (a `mark` where the class is `mark`) of a class. */
export type SpanPart = string | readonly [className: string, inner: string | readonly SpanPart[]];

/**
 * Text cut into classed spans, such as highlighted code: a short way for what would be thousands of elements.
 * All text is escaped; a class is letters, digits, spaces and hyphens of our own.
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
