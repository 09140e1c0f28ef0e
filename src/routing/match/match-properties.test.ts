import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#coded-error';
import { compileRoutes } from '../compile/compile-routes.js';
import { decodePath } from './decode-path.js';
import { explainMatch } from '../explain/explain-match.js';
import { generateUrl } from '../generate/generate-url.js';
import { matchRoute } from './match-route.js';
import { createRoutes } from '../define/route-collection.js';
import type { RouteDefinition } from '../define/route-definition.js';
import type { MatchContext } from '../define/route.js';

/** One part of a path, as the pattern writes it and as a naive expression reads it. */
const part = fc.constantFrom(
  ['/a', '/a'],
  ['/b', '/b'],
  ['/ab', '/ab'],
  ['/', '/'],
  ['/{}', '/([^/]+)'],
  ['/{<\\d+>}', '/(\\d+)'],
  ['/a{}', '/a([^/]+)'],
  ['/{<a|b>}', '/(a|b)'],
  ['/{<.+>}', '/(.+)'],
  ['/{<[ab/]*>}', '/([ab/]*)'],
  ['/a{}b', '/a([^/]+)b'],
  ['/{}-{}', '/([^/\\-]+)-([^/]+)'],
);

interface Case {
  readonly definition: RouteDefinition;
  readonly form: RegExp;
}

/** Whether it is not refused because its variables can share a text in too many ways. */
function isAccepted({ definition }: Case): boolean {
  const code = urlOrCode(() => String(createRoutes([definition]).size));
  assert.ok(code === '1' || code === 'ROUTING_AMBIGUOUS_PATH', code);
  return code === '1';
}

const route: fc.Arbitrary<Case> = fc
  .record({
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    methods: fc.constantFrom([], ['GET'], ['POST'], ['GET', 'POST']),
    host: fc.constantFrom('', 'a.org'),
    schemes: fc.constantFrom([], [], ['https']),
    priority: fc.constantFrom(0, 0, 0, 1),
  })
  .map(({ parts, ...rest }) => {
    let count = 0;
    const path = parts
      .map(([pattern]) => (pattern ?? '').replace(/\{(?=[<}])/g, () => `{v${count++}`))
      .join('');
    return {
      definition: { ...rest, path: path.replace(/^\/+/, '/') },
      form: new RegExp(
        `^${parts
          .map(([, one]) => one)
          .join('')
          .replace(/^\/+/, '/')}$`,
        'su',
      ),
    };
  })
  .filter(isAccepted);

const request = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT'),
  path: fc
    .array(fc.constantFrom('/', 'a', 'b', 'ab', '1', '-', '/a', '/b', '/1', '/a1b'), { maxLength: 7 })
    .map((parts) => `/${parts.join('')}`),
  host: fc.constantFrom('a.org', 'b.org'),
  scheme: fc.constantFrom('http', 'https'),
});

/** Tries every route in order, one expression each. */
function naive(
  cases: readonly Case[],
  { method, path, host, scheme }: Required<Pick<MatchContext, 'method' | 'path' | 'host' | 'scheme'>>,
): string {
  const ordered = cases
    .map((one, index) => ({ ...one, name: `r${index}` }))
    .sort((a, b) => (b.definition.priority ?? 0) - (a.definition.priority ?? 0));
  const allow: string[] = [];
  for (const { definition, form, name } of ordered) {
    const [methods, schemes] = [[definition.methods ?? []].flat(), [definition.schemes ?? []].flat()];
    if (!form.test(path) || (definition.host !== '' && definition.host !== host)) continue;
    if (schemes.length > 0 && !schemes.includes(scheme)) continue;
    const takes =
      methods.length === 0 || methods.includes(method) || (method === 'HEAD' && methods.includes('GET'));
    if (takes) return `${name} ${JSON.stringify(form.exec(path)?.slice(1))}`;
    allow.push(...methods);
  }
  return allow.length > 0 ? `405 ${[...new Set(allow)].join()}` : '404';
}

describe('matchRoute, whatever the routes', () => {
  it('answers as if every route had been tried in order', () => {
    fc.assert(
      fc.property(
        fc.array(route, { maxLength: 12 }),
        fc.array(request, { minLength: 1, maxLength: 8 }),
        (cases, requests) => {
          const routes = createRoutes(
            cases.map(({ definition }, index) => ({ ...definition, name: `r${index}` })),
          );
          const compiled = compileRoutes(routes, { strict: true });
          for (const context of requests) {
            const result = matchRoute(compiled, context);
            const wanted = naive(cases, context);
            if (result.kind === 'redirect') continue; // to another scheme; nothing took the request
            const values =
              result.kind === 'match' ? result.route.variables.map((name) => result.parameters[name]) : [];
            const actual = { match: '', 'not-found': '404', 'method-not-allowed': '' }[result.kind];
            const text =
              result.kind === 'match'
                ? `${result.route.name} ${JSON.stringify(values)}`
                : result.kind === 'method-not-allowed'
                  ? `405 ${result.allow.join()}`
                  : actual;
            assert.equal(text, wanted, JSON.stringify(context));
            assert.equal(
              explainMatch(compiled, context).rows.some((row) => row.level === 'match'),
              result.kind === 'match',
            );
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('a redirect leads to a path that its route takes', () => {
    fc.assert(
      fc.property(fc.array(route, { maxLength: 8 }), request, (cases, context) => {
        const compiled = compileRoutes(createRoutes(cases.map((one) => one.definition)));
        const result = matchRoute(compiled, context);
        if (result.kind !== 'redirect') return;
        assert.ok(context.method === 'GET' || context.method === 'HEAD');
        const { path, scheme = context.scheme, route: target } = result;
        const next = matchRoute(compiled, { ...context, path, scheme });
        assert.ok(next.kind === 'match' && next.route === target);
        assert.ok(!path.startsWith('//') || path === context.path);
      }),
      { numRuns: 400 },
    );
  });

  it('what is generated matches, with the values it was made from', () => {
    const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
    const pattern = fc.constantFrom(
      '/{a}/{b}',
      '/x/{a}-{b}.{c}',
      '/{a}/y/{b<.+>}',
      '/{a<[^x]+>}/{b?1}',
      '/{a}{b<\\d+>}',
    );
    fc.assert(
      fc.property(pattern, value, value, value, (path, a, b, c) => {
        const compiled = compileRoutes(createRoutes([{ name: 'r', path }]));
        const given = { a, b, ...(path.includes('{c}') ? { c } : {}) };
        const url = urlOrCode(() => generateUrl(compiled, 'r', given));
        if (url.startsWith('ROUTING_')) return;
        const parsed = new URL(url, 'http://localhost');
        assert.equal(parsed.host, 'localhost');
        assert.equal(parsed.pathname, url, 'a client changes nothing of it');
        const result = matchRoute(compiled, { method: 'GET', path: decodePath(url) });
        assert.ok(result.kind === 'match', url);
        const rejoined =
          path.includes('}{') || path.includes('.+') || path.includes('[^x]') || path.includes('-');
        if (!rejoined) assert.deepEqual({ ...result.parameters }, { ...given });
        assert.equal(generateUrl(compiled, 'r', result.parameters), url);
      }),
      { numRuns: 1000 },
    );
  });

  it('survives anything for a path', () => {
    const compiled = compileRoutes(
      createRoutes([{ path: '/{a}/{b<.+>}' }, { path: '/{a}-{b}.{c?x}' }, { path: '/{w}{x}{y}' }]),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 40 }),
          fc.constantFrom(
            '__proto__',
            '/constructor',
            '/%00',
            '/\0',
            `/${'a'.repeat(9000)}`,
            '/a'.repeat(4000),
          ),
        ),
        (path) => {
          assert.ok(matchRoute(compiled, { method: 'GET', path }).kind);
          assert.ok(explainMatch(compiled, { method: 'GET', path }).outcome);
          urlOrCode(() => decodePath(path));
        },
      ),
    );
  });
});

function urlOrCode(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (isCodedError(error)) return error.code;
    throw error;
  }
}
