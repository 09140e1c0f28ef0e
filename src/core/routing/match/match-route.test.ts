import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { compileRoutes } from '../compile/compile-routes.js';
import { createRoutes } from '../define/route-collection.js';
import type { MatchContext, RouteDefinition } from '../define/route.js';
import { explainMatch } from '../explain/explain-match.js';
import { generateUrl } from '../generate/generate-url.js';
import { decodePath, matchRoute } from './match-route.js';

/** Renders a result on one line: `name {"a":"1"}`, `301 /path`, `405 GET, PUT` or `404`. */
function answer(
  definitions: readonly RouteDefinition[],
  request: string,
  extra: Partial<MatchContext> = {},
): string {
  const [method = '', path = ''] = request.split(/ (.*)/s);
  const result = matchRoute(compileRoutes(createRoutes(definitions)), { method, path, ...extra });
  if (result.kind === 'match') {
    const { route, parameters } = result;
    assert.equal(Object.getPrototypeOf(parameters), null);
    const given = JSON.stringify(parameters);
    return given === '{}' ? route.name : `${route.name} ${given}`;
  }
  if (result.kind === 'redirect') return `301 ${result.path}`;
  return result.kind === 'not-found' ? '404' : `405 ${result.allow.join(', ')}`;
}

const table: readonly (readonly [RouteDefinition[], Record<string, string>])[] = [
  [
    [{ name: 'foo', path: '/foo' }],
    {
      'GET /foo': 'foo',
      'GET /foo/': '301 /foo',
      'GET /foo//': '404',
      'POST /foo/': '404',
      'GET /FOO': '404',
    },
  ],
  [[{ name: 'bar', path: '/bar/' }], { 'GET /bar': '301 /bar/', 'POST /bar': '404', 'GET /bar//': '404' }],
  [[{ name: 'post', path: '/post', methods: 'POST' }], { 'GET /post': '405 POST', 'GET /post/': '404' }],
  [[{ name: 'posts', path: '/posts/', methods: 'POST' }], { 'GET /posts': '404', 'POST /posts': '404' }],
  [
    [
      { name: 'gp', path: '/gp', methods: ['GET', 'PUT'] },
      { name: 'p', path: '/gp', methods: ['POST'] },
    ],
    { 'OPTIONS /gp': '405 GET, PUT, POST', 'HEAD /gp': 'gp', 'POST /gp': 'p' },
  ],
  [
    [{ name: 'blog', path: '/blog/{page<\\d+>?1}' }],
    {
      'GET /blog': 'blog {"page":"1"}',
      'GET /blog/': '301 /blog',
      'GET /blog/2': 'blog {"page":"2"}',
      'GET /blog/2/': '301 /blog/2',
      'GET /blog/x': '404',
    },
  ],
  [
    [{ name: 'art', path: '/art/{slug}' }],
    {
      'GET /art/a/b': '404',
      'GET /art/a b': 'art {"slug":"a b"}',
      'GET /art/': '404',
      'GET /art/x/': '301 /art/x',
    },
  ],
  [
    [
      { name: 'any', path: '/any/{p<.+>}' },
      { name: 'anys', path: '/anys/{p<.+>}/' },
    ],
    {
      'GET /any/a/b/': 'any {"p":"a/b/"}',
      'GET /anys/a/b': '301 /anys/a/b/',
      'GET /any': '404',
      'GET /any/': '404',
      'GET /anyx': '404',
    },
  ],
  [
    [{ name: 'f', path: '/f/{n}.{_format<html|json>?html}' }],
    {
      'GET /f/x': 'f {"_format":"html","n":"x"}',
      'GET /f/x.json': 'f {"_format":"json","n":"x"}',
      'GET /f/x.xml': '404',
      'GET /f/x.y.json': '404',
    },
  ],
  [
    [{ name: 'o', path: '/o/{a?A}/{b?B}' }],
    {
      'GET /o': 'o {"a":"A","b":"B"}',
      'GET /o/1': 'o {"a":"1","b":"B"}',
      'GET /o/1/2': 'o {"a":"1","b":"2"}',
      'GET /o/1/': '301 /o/1',
    },
  ],
  [[{ name: 'imp', path: '/imp/{!x?1}' }], { 'GET /imp': '404', 'GET /imp/1': 'imp {"x":"1"}' }],
  [[{ name: 'ab', path: '/ab/{a}-{b}' }], { 'GET /ab/1-2-3': 'ab {"a":"1","b":"2-3"}', 'GET /ab/1': '404' }],
  [[{ name: 'home', path: '/{page?1}' }], { 'GET /': 'home {"page":"1"}', 'GET /2': 'home {"page":"2"}' }],
  [
    [
      { name: 'slash', path: '/x/' },
      { name: 'exact', path: '/x' },
      { name: 'any', path: '/{s}/' },
      { name: 'id', path: '/{id<\\d+>}' },
    ],
    { 'GET /x': 'exact', 'GET /x/': 'slash', 'GET /12': 'id {"id":"12"}', 'GET /12/': 'any {"s":"12"}' },
  ],
  [
    [
      { name: 'late', path: '/{a}' },
      { name: 'static', path: '/new' },
      { name: 'first', path: '/top', priority: 1 },
    ],
    {
      'GET /new': 'late {"a":"new"}',
      'GET /top': 'first',
      'GET //evil.org/': '404',
      'GET /__proto__': 'late {"a":"__proto__"}',
    },
  ],
];

describe('matchRoute', () => {
  for (const [definitions, expected] of table) {
    it(definitions.map((definition) => JSON.stringify(definition.path)).join(' '), () => {
      for (const [request, wanted] of Object.entries(expected)) {
        assert.equal(answer(definitions, request), wanted, request);
      }
    });
  }

  it('localised routes report their common name and the locale', () => {
    const routes = [{ name: 'about', path: { en: '/en/about', fr: '/fr/a-propos' } }];
    assert.equal(answer(routes, 'GET /fr/a-propos'), 'about {"_locale":"fr"}');
    const named = [{ name: 'about', path: { en: '/{_locale}/about', 'fr-CA': '/{_locale}/a-propos' } }];
    assert.equal(answer(named, 'GET /fr-CA/a-propos'), 'about {"_locale":"fr-CA"}');
    assert.equal(answer(named, 'GET /en/a-propos'), '404');
  });

  it('hosts may contain variables and are compared case-insensitively', () => {
    const routes = [{ name: 'shop', path: '/', host: '{shop}.example.org' }];
    assert.equal(answer(routes, 'GET /', { host: 'Tea.Example.ORG' }), 'shop {"shop":"tea"}');
    assert.equal(answer(routes, 'GET /', { host: 'a.tea.example.org' }), '404');
  });

  it('conditions are evaluated in route order, and only when needed', () => {
    const asked: string[] = [];
    const ask = (name: string, agrees: boolean) => () => {
      asked.push(name);
      return agrees;
    };
    const routes = [
      { name: 'a', path: '/{x}', condition: ask('a', false) },
      { name: 'b', path: '/x', condition: ask('b', true) },
      { name: 'c', path: '/{y}', condition: ask('c', true) },
    ];
    assert.equal(answer(routes, 'GET /x'), 'b');
    assert.deepEqual(asked, ['a', 'b']);
  });

  it('a path without variables yields to an earlier route with variables, for each method', () => {
    const [any, me, put] = [
      { name: 'any', path: '/users/{id}', methods: ['GET'] },
      { name: 'me', path: '/users/me', methods: ['GET', 'POST'] },
      { name: 'put', path: '/users/me', methods: ['PUT'] },
    ];
    assert.equal(answer([any, me, put], 'GET /users/me'), 'any {"id":"me"}');
    assert.equal(answer([any, me, put], 'POST /users/me'), 'me');
    assert.equal(answer([any, me, put], 'DELETE /users/me'), '405 GET, POST, PUT');
    assert.equal(answer([me, any, put], 'GET /users/me'), 'me');
    assert.equal(answer([me, put], 'PUT /users/me'), 'put');
    assert.equal(answer([me, put], 'HEAD /users/me'), 'me');
  });

  it('finds each of many paths that differ in only one character', () => {
    const paths = Array.from({ length: 500 }, (_, index) => `/a-long-path/${1000 + index}/that-is-the-same`);
    const compiled = compileRoutes(createRoutes(paths.map((path) => ({ name: path, path }))));
    for (const path of paths) {
      const result = matchRoute(compiled, { method: 'GET', path });
      assert.equal(result.kind === 'match' && result.route.name, path);
    }
    const miss = matchRoute(compiled, { method: 'GET', path: '/a-long-path/2000/that-is-the-same' });
    assert.equal(miss.kind, 'not-found');
  });

  it('a list of methods keeps separate words, even after the same words were given as one text', () => {
    assert.equal(answer([{ name: 'a', path: '/', methods: 'GET LOCK' }], 'LOCK /'), 'a');
    assert.throws(() => createRoutes([{ name: 'a', path: '/', methods: ['GET LOCK'] }]), {
      code: 'ROUTING_BAD_DEFINITION',
    });
  });
});

/** One part of a path, as a pattern and as a naive expression. */
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

/** Whether it is accepted, that is, its variables cannot share a text in too many ways. */
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
});

/** Tries every route in order, one expression each. */
function naive(
  cases: readonly Case[],
  { method, path, host }: Required<Pick<MatchContext, 'method' | 'path' | 'host'>>,
): string {
  const ordered = cases
    .map((one, index) => ({ ...one, name: `r${index}` }))
    .sort((a, b) => (b.definition.priority ?? 0) - (a.definition.priority ?? 0));
  const allow: string[] = [];
  for (const { definition, form, name } of ordered) {
    const methods = [definition.methods ?? []].flat();
    if (!form.test(path) || (definition.host !== '' && definition.host !== host)) continue;
    const takes =
      methods.length === 0 || methods.includes(method) || (method === 'HEAD' && methods.includes('GET'));
    if (takes) return `${name} ${JSON.stringify(form.exec(path)?.slice(1))}`;
    allow.push(...methods);
  }
  return allow.length > 0 ? `405 ${[...new Set(allow)].join()}` : '404';
}

describe('matchRoute, whatever the routes', () => {
  it('matches as if every route had been tried in order', () => {
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
            assert.ok(result.kind !== 'redirect');
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

  it('a redirect leads to a path that its route matches', () => {
    fc.assert(
      fc.property(fc.array(route, { maxLength: 8 }), request, (cases, context) => {
        const compiled = compileRoutes(createRoutes(cases.map((one) => one.definition)));
        const result = matchRoute(compiled, context);
        if (result.kind !== 'redirect') return;
        assert.ok(context.method === 'GET' || context.method === 'HEAD');
        const { path, route: target } = result;
        const next = matchRoute(compiled, { ...context, path });
        assert.ok(next.kind === 'match' && next.route === target);
        assert.ok(!path.startsWith('//') || path === context.path);
      }),
      { numRuns: 400 },
    );
  });

  it('a generated URL matches, with its original values', () => {
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
        assert.equal(parsed.pathname, url, 'URL parsing leaves the path unchanged');
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

  it('matchRoute survives any text for a path', () => {
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
