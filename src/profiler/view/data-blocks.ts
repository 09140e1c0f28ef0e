import type { Block } from './block.js';
import { formatCount } from '../model/formatting.js';

const maxDepth = 24;

/** Indents one-line JSON without parsing it, so that numbers, duplicate names and truncation are shown as sent. */
export function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.trim().includes('\n')) return text;
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(depth, maxDepth))}`;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"?|[[{]\s*[\]}]|[[\]{},:]|[^\s"[\]{},:]+/g) ?? [];
  return tokens
    .map((token) => {
      if (token === '{' || token === '[') {
        depth++;
        return token + line();
      }
      if (token === '}' || token === ']') {
        depth = Math.max(0, depth - 1);
        return line() + token;
      }
      if (token === ',') return token + line();
      return token === ':' ? ': ' : token;
    })
    .join('');
}

export interface Page {
  readonly number: number;
  readonly pages: number;
  readonly total: number;
  readonly from: number;
  readonly to: number;
}

interface PageRequest {
  readonly total: number;
  readonly size: number;
  /** Number of the requested page; any other text selects the first page. */
  readonly wanted: string;
  /** The index of an entry that the page must contain; -1 for none. */
  readonly at: number;
}

export function pageOf({ total, size, wanted, at }: PageRequest): Page {
  const pages = Math.max(1, Math.ceil(total / size));
  const requested = at >= 0 ? Math.floor(at / size) + 1 : /^\d{1,6}$/.test(wanted) ? Number(wanted) : 1;
  const number = Math.min(Math.max(requested, 1), pages);
  return { number, pages, total, from: (number - 1) * size, to: Math.min(number * size, total) };
}

export function pagesBlock(
  { number, pages, total, from, to }: Page,
  link: (page: number) => string,
): Block | undefined {
  if (pages === 1) return undefined;
  const near = [1, number - 1, number, number + 1, pages].filter((page) => page >= 1 && page <= pages);
  return {
    kind: 'filters',
    label: `${formatCount(from + 1)} to ${formatCount(to)} of ${formatCount(total)}`,
    isTitled: true,
    filters: [...new Set(near)].map((page) => ({
      label: `Page ${formatCount(page)}`,
      href: link(page),
      chosen: page === number,
    })),
  };
}
