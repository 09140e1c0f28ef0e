import type { VNode } from 'preact';
import { embed, renderSpans, type SafeHtml, type SpanPart, visibleText } from '#html';
import { BoundedCache } from '../source/bounded-cache.js';
import type { Excerpt } from '../report/error-report.js';
import { highlightLines } from '../present/highlight-code.js';

/** Coloured excerpts by their text and place: program text, the same for every request that fails there. */
const colouredExcerpts = new BoundedCache<SafeHtml>(200, 4 << 20);

/** Lines of source with numbers; the line of the frame stands out and the place in it is underlined. */
export function CodeExcerpt({ excerpt, name }: { excerpt: Excerpt; name: string }): VNode {
  return (
    <pre class="code" tabIndex={0} role="group" aria-label={name}>
      <code>{embed(colour(excerpt))}</code>
    </pre>
  );
}

function colour(excerpt: Excerpt): SafeHtml {
  const { startLine, line, column } = excerpt;
  const key = `${startLine}:${line}:${column}\n${excerpt.lines.join('\n')}`;
  const known = colouredExcerpts.get(key);
  if (known !== undefined) return known;
  const parts = highlightLines(excerpt.lines.map(visibleText), line - startLine, column);
  const markup = renderSpans(parts.map((spans, index) => row(spans, startLine + index, line)));
  colouredExcerpts.set(key, markup, key.length * 4);
  return markup;
}

function row(spans: readonly SpanPart[], number: number, hit: number): SpanPart {
  const isHit = number === hit;
  return [
    isHit ? 'row hit' : 'row',
    [
      ['no', isHit ? `→ ${number}` : String(number)],
      ['src', [...spans, '\n']],
    ],
  ];
}
