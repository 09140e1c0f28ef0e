import { escapeHtml } from './escape-html.js';

/** The element that loads a script, with its attributes; every value is escaped. For pages that are not made here. */
export function scriptElement(src: string, attributes: Readonly<Record<string, string | undefined>>): string {
  const rest = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${escapeHtml(value)}"`],
  );
  return `<script src="${escapeHtml(src)}"${rest.join('')}></script>`;
}
