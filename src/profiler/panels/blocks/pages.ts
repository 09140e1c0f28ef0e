import { say } from '../../words/say.js';
import type { Block } from './block.js';

/** One page of a long list. */
export interface Page {
  readonly number: number;
  readonly pages: number;
  readonly total: number;
  readonly from: number;
  readonly to: number;
}

interface PageRequest {
  readonly total: number;
  /** Entries on a page. */
  readonly size: number;
  /** Number of the requested page; any other text selects the first page. */
  readonly wanted: string;
  /** Index of an entry that the page has to contain; -1 for none. */
  readonly at: number;
}

/** Returns the page of a list to show. */
export function pageOf({ total, size, wanted, at }: PageRequest): Page {
  const pages = Math.max(1, Math.ceil(total / size));
  const requested = at >= 0 ? Math.floor(at / size) + 1 : /^\d{1,6}$/.test(wanted) ? Number(wanted) : 1;
  const number = Math.min(Math.max(requested, 1), pages);
  return { number, pages, total, from: (number - 1) * size, to: Math.min(number * size, total) };
}

/** Returns links to the pages of a list; nothing if there is only one page. */
export function pagesBlock(
  { number, pages, total, from, to }: Page,
  link: (page: number) => string,
): readonly Block[] {
  if (pages === 1) return [];
  const near = [1, number - 1, number, number + 1, pages].filter((page) => page >= 1 && page <= pages);
  return [
    {
      kind: 'filters',
      label: say('{from} to {to} of {total}', { from: from + 1, to, total }),
      isTitled: true,
      filters: [...new Set(near)].map((page) => ({
        label: say('Page {page}', { page }),
        href: link(page),
        chosen: page === number,
      })),
    },
  ];
}
