import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Bench, BytesAnswer } from './web/over-transports.js';
import { overTransports } from './web/over-transports.js';
import { HttpResponse } from 'lookback';

// Who sees debug output, for every combination of the header fields that browsers send, on every kind of page. The client and the Host are
// always local; debug-exposure.test.ts varies those.

const sites = [undefined, 'none', 'same-origin', 'same-site', 'cross-site'] as const;
const modes = ['navigate', 'cors', 'no-cors', 'websocket'] as const;
const dests = ['document', 'iframe', 'image', 'script', 'empty'] as const;
const referers = ['none', 'own', 'other host', 'other port', 'unparsable'] as const;
const methods = ['GET', 'HEAD', 'POST'] as const;

interface Cell {
  readonly site: (typeof sites)[number];
  readonly mode: (typeof modes)[number];
  readonly dest: (typeof dests)[number];
  readonly referer: (typeof referers)[number];
  readonly method: (typeof methods)[number];
}

const cells: readonly Cell[] = sites.flatMap((site) =>
  modes.flatMap((mode) =>
    dests.flatMap((dest) =>
      referers.flatMap((referer) => methods.map((method) => ({ site, mode, dest, referer, method }))),
    ),
  ),
);

/** The rule from the documentation. */
function isShown({ site, mode, dest, referer, method }: Cell): boolean {
  // The browser has this page under another host, so there is a hidden proxy in between.
  if (site === 'same-origin' && referer === 'other host') return false;
  // A link opened in a tab.
  if (method !== 'POST' && mode === 'navigate' && dest === 'document') return true;
  return site === undefined || site === 'none' || site === 'same-origin';
}

function headersOf(cell: Cell, origin: string): Record<string, string> {
  const { site, mode, dest, referer } = cell;
  const address = {
    none: undefined,
    own: `${origin}/from`,
    'other host': 'https://mail.example.com/inbox?q="x"',
    'other port': 'http://localhost:4720/',
    unparsable: '%%',
  }[referer];
  return {
    Accept: 'text/html',
    // Without Sec-Fetch-Site, the other fields are from a browser whose Sec-Fetch-Site was removed by a tool.
    'Sec-Fetch-Mode': mode,
    'Sec-Fetch-Dest': dest,
    ...(site === undefined ? {} : { 'Sec-Fetch-Site': site }),
    ...(address === undefined ? {} : { Referer: address }),
  };
}

interface PageKind {
  readonly path: (token: string) => string;
  readonly check: (answer: BytesAnswer, cell: Cell, where: string) => void;
}

const isolated = 'same-origin';

function checkDebugFields(answer: BytesAnswer, cell: Cell, where: string): void {
  const token = answer.field('x-debug-token');
  if (isShown(cell)) assert.match(token ?? '', /^[0-9a-f]{6}$/, where);
  else assert.equal(token, undefined, where);
  assert.equal(answer.field('x-debug-token-link') !== undefined, isShown(cell), where);
}

/** A profiler page, which allows GET, and does not exist for unauthorised clients. */
function checkProfilerPage(answer: BytesAnswer, cell: Cell, where: string): void {
  const shown = cell.method === 'POST' ? 405 : 200;
  assert.equal(answer.status, isShown(cell) ? shown : 404, where);
  assert.equal(answer.field('cross-origin-opener-policy'), isShown(cell) ? isolated : undefined, where);
  if (isShown(cell) && cell.method !== 'POST')
    assert.match(answer.field('content-security-policy') ?? '', /frame-ancestors '(?:none|self)'/, where);
}

const kinds: Readonly<Record<string, PageKind>> = {
  'unknown path': {
    path: () => '/robots.txt',
    check(answer, cell, where) {
      assert.equal(answer.status, 404, where);
      checkDebugFields(answer, cell, where);
      const message = decodeURIComponent(answer.field('x-debug-exception') ?? '');
      assert.equal(answer.field('cross-origin-opener-policy'), isShown(cell) ? isolated : undefined, where);
      if (!isShown(cell)) return assert.equal(message, '', where);
      const from = cell.referer === 'none' ? '' : ' (from "';
      assert.match(message, /^No route found for "/, where);
      assert.equal(message.includes(' (from "'), from !== '', where);
      if (cell.referer === 'other host')
        assert.ok(message.endsWith(' (from "https://mail.example.com/inbox?q="x"")'), where);
      if (cell.method === 'HEAD') return;
      assert.ok(answer.text.includes('No route found for'), where);
      assert.match(answer.field('content-security-policy') ?? '', /frame-ancestors 'none'/, where);
    },
  },
  'page of the application': {
    path: () => '/page',
    check(answer, cell, where) {
      assert.equal(answer.status, 200, where);
      checkDebugFields(answer, cell, where);
      assert.equal(answer.field('cross-origin-opener-policy'), undefined, where);
      const isVisit = cell.dest === 'document' && cell.method !== 'HEAD';
      assert.equal(answer.text.includes('data-lookback='), isShown(cell) && isVisit, where);
    },
  },
  'page of the profiler': { path: () => '/_profiler/', check: checkProfilerPage },
  'page of a record': { path: (token) => `/_profiler/${token}`, check: checkProfilerPage },
  'record as JSON': { path: (token) => `/_profiler/${token}.json`, check: checkProfilerPage },
};

/**
 * Only every nth cell requests a page. By fetch, the cheapest page is requested in every cell, and the others in every seventh, which still
 * combines any three values; over sockets, and for slow pages, every 19th cell combines any two values. Slow pages over
 * sockets, where only the reading of the fields differs, are requested with each value of each field.
 */
function stepOf({ name }: Bench, kind: string): number {
  if (name !== 'fetch' && slowKinds.has(kind)) return 53;
  if (name !== 'fetch' || slowKinds.has(kind)) return 19;
  return kind === 'page of the application' ? 1 : 7;
}

const slowKinds = new Set(['page of the profiler', 'page of a record']);

overTransports(
  'debug output',
  () => ({
    options: { configuration: { env: 'test', debug: true, profilerStore: 'memory:' } },
    define: (app) => {
      app.any('/page', () => HttpResponse.html('<!doctype html><html><body><h1>Page</h1></body></html>'));
    },
  }),
  (bench) => {
    for (const [kind, { path, check }] of Object.entries(kinds))
      it(`is shown (${kind}) to tools, to its own pages and to anyone who follows a link, but not to other sites`, async () => {
        const token = (await bench().ask('/page')).field('x-debug-token') ?? '';
        const every = stepOf(bench(), kind);
        for (const [index, cell] of cells.entries())
          if (index % every === 0)
            check(await askCell(bench(), path(token), cell), cell, JSON.stringify(cell));
      });
  },
);

function askCell({ ask, transport }: Bench, path: string, cell: Cell): Promise<BytesAnswer> {
  return ask(path, { method: cell.method, headers: headersOf(cell, transport.origin) });
}
