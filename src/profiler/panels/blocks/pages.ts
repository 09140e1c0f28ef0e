import { say } from '../../words/say.js';
import type { Block } from './block.js';

/** A part of a long list. */
export interface Page {
  readonly number: number;
  readonly pages: number;
  readonly total: number;
  readonly from: number;
  readonly to: number;
}

interface PageWish {
  readonly total: number;
  /** Entries on a page. */
  readonly size: number;
  /** Number of the requested page; anything else is the first. */
  readonly wanted: string;
  /** Place of an entry that the page has to hold; -1 for none. */
  readonly at: number;
}

/** Which part of a list is shown. */
export function pageOf({ total, size, wanted, at }: PageWish): Page {
  const pages = Math.max(1, Math.ceil(total / size));
  const asked = at >= 0 ? Math.floor(at / size) + 1 : /^\d{1,6}$/.test(wanted) ? Number(wanted) : 1;
  const number = Math.min(Math.max(asked, 1), pages);
  return { number, pages, total, from: (number - 1) * size, to: Math.min(number * size, total) };
}

/** Links to the pages of a list; nothing where it has one. */
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
