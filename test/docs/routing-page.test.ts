import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isCodedError } from 'lookback';
import {
  compileRoutes,
  createRoutes,
  decodePath,
  generateUrl,
  matchRoute,
  type RouteCollection,
  type UrlOptions,
} from 'lookback/routing';

const page = readFileSync('docs/reference/routing.md', 'utf8');

/** The rows of all tables with this header, each cell as the list of its code spans. */
function rowsOf(head: string): string[][][] {
  const tables = page.split('\n\n').filter((block) => block.startsWith(`${head}\n`));
  const lines = tables.flatMap((table) => table.split('\n').slice(2));
  return lines.map((line) =>
    line
      .replace(/\\\|/g, '\u0000')
      .split('|')
      .slice(1, -1)
      .map((cell) =>
        [...cell.matchAll(/`([^`]*)`/g)].map((span) => (span[1] ?? '').replaceAll('\u0000', '|')),
      ),
  );
}

/** `GET|PUT /path host=a.org priority=1`; methods and all options may be missing. */
function parseRoutes(spans: readonly string[]): RouteCollection {
  return createRoutes(
    spans.map((span, index) => {
      const options = new Map([...span.matchAll(/ (host|priority)=(\S+)/g)].map((one) => [one[1], one[2]]));
      const [, methods, path = ''] =
        /^(?:([A-Z|/]+) )?(.*)$/.exec(span.replace(/ (?:host|priority)=\S+/g, '')) ?? [];
      return {
        name: 'abcdef'.charAt(index),
        path,
        methods: methods ?? [],
        host: options.get('host') ?? '',
        priority: Number(options.get('priority') ?? 0),
      };
    }),
  );
}

function answer(routes: readonly string[], request: string): string {
  const [, method = '', path = '', host] = /^(\S+) (.*?)(?: host=(\S+))?$/.exec(request) ?? [];
  const context = { method, path, ...(host === undefined ? {} : { host }) };
  const result = matchRoute(compileRoutes(parseRoutes(routes)), context);
  if (result.kind === 'not-found') return '404';
  if (result.kind === 'method-not-allowed') return `405 ${result.allow.join(', ')}`;
  if (result.kind === 'redirect') return `301 ${result.path}`;
  const entries = Object.entries(result.parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return [result.route.name, ...(entries.length === 0 ? [] : [JSON.stringify(entries)])].join(' ');
}

/** The expected text with its parameters in the same form. */
function normalise(text: string): string {
  const [, name = '', json = ''] = /^(\w) (\{.*\})$/.exec(text) ?? [];
  if (name === '') return text;
  const entries = [...json.slice(1, -1).matchAll(/"([^"]+)":("[^"]*"|null)/g)].map(
    (one) => [one[1], JSON.parse(one[2] ?? '')] as const,
  );
  return `${name} ${JSON.stringify(entries.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)))}`;
}

function codeOr(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (isCodedError(error)) return error.code;
    throw error;
  }
}

function check(
  head: string,
  least: number,
  run: (cells: string[][]) => [actual: string, wanted: string],
): void {
  const rows = rowsOf(head);
  assert.ok(rows.length >= least, `only ${rows.length} rows below ${head}`);
  for (const cells of rows) {
    const [actual, wanted] = run(cells);
    assert.equal(actual, wanted, cells.map((cell) => cell.join(' · ')).join(' | '));
  }
}

describe('docs/reference/routing.md describes the actual behaviour', () => {
  it('R10: matching', () => {
    check('| Routes | Request | Answer |', 60, ([routes = [], [request = ''] = [], [wanted = ''] = []]) => [
      answer(routes, request),
      normalise(wanted),
    ]);
  });

  it('decoding', () => {
    check('| Sent | Decoded |', 8, ([[sent = ''] = [], [wanted = ''] = []]) => [
      codeOr(() => decodePath(sent)),
      wanted,
    ]);
  });

  it('URLs', () => {
    check(
      '| Route | Parameters | Options | URL |',
      20,
      ([routes = [], [values = ''] = [], [options = ''] = [], [wanted = ''] = []]) => {
        const compiled = compileRoutes(parseRoutes(routes));
        const parameters = JSON.parse(values) as Record<string, unknown>;
        return [
          codeOr(() => generateUrl(compiled, 'a', parameters, JSON.parse(options) as UrlOptions)),
          wanted,
        ];
      },
    );
  });

  it('refused definitions', () => {
    check('| Definition | Error |', 15, ([routes = [], [wanted = ''] = []]) => [
      codeOr(() => `${parseRoutes(routes).size} added`),
      wanted,
    ]);
    assert.throws(
      () => createRoutes([{ name: 'blog', path: '/blog/{1st}' }]),
      (error) => {
        return isCodedError(error) && page.includes(error.message);
      },
    );
  });
});
