import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest, requestRoute, createTrustPolicy } from '#core/http';
import { Scope } from '#core/scope';
import { compilePath, compileConditions, type RequestConditions, wantsPage } from './request-conditions.js';

interface Facts {
  readonly path?: string;
  readonly method?: string;
  readonly host?: string;
  readonly clientAddress?: string | undefined;
  readonly route?: string;
}

function holds(conditions: RequestConditions, facts: Facts): boolean {
  const scope = new Scope();
  if (facts.route !== undefined)
    scope.set(requestRoute, { name: facts.route, path: '/', parameters: {} } as never); // only the name is read
  const request = {
    path: '/',
    method: 'GET',
    host: 'example.org',
    clientAddress: '192.0.2.1',
    ...facts,
    scope,
  };
  return compileConditions(conditions)(request as unknown as HttpRequest); // the part that conditions use
}

describe('conditions that no request meets', () => {
  const refused = (conditions: RequestConditions, message: RegExp): void =>
    assert.throws(() => compileConditions(conditions), { code: 'SECURITY_BAD_OPTION', message });

  it('are refused: empty lists, a host with scheme, port or wildcard', () => {
    for (const name of ['path', 'methods', 'route', 'ips'])
      refused({ [name]: [] }, new RegExp(`^The ${name} option .* an empty list`));
    for (const host of ['https://a.test', 'a.test:8080', '*.a.test', 'a.test/admin', ''])
      refused({ host }, /^The host option .*without scheme and port/);
    for (const host of ['a.test', 'A.test', '127.0.0.1', '[::1]', 'localhost'])
      assert.doesNotThrow(() => compileConditions({ host }));
  });

  it('are refused: a path with a query, escapes or dot segments, and an expression that no path matches', () => {
    refused({ path: '/admin?tab=users' }, /no query/);
    refused({ path: '/admin#users' }, /no fragment/);
    refused({ path: '/%61dmin' }, /decoded/);
    refused({ path: ['/a', '/a/../admin'] }, /dot segments/);
    for (const path of [/^admin/, /^admin(?:\/|$)/i])
      refused({ path }, /which no path matches: paths begin with a slash/);
    for (const path of [
      '/100%',
      '/.well-known',
      '/a..b',
      /^a?\/admin/,
      /^x|admin/,
      /^\/admin/,
      /admin/,
      /^.admin/,
    ])
      assert.doesNotThrow(() => compileConditions({ path }));
  });
});

describe('access rule paths', () => {
  const segment = fc.string({
    unit: fc.constantFrom(...'abcADMIN-_~!é'.split('')),
    minLength: 1,
    maxLength: 8,
  });
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);

  it('match a path and everything below it, never a path that merely has the same prefix', () => {
    fc.assert(
      fc.property(path, segment, (prefix, rest) => {
        const test = compilePath(prefix);
        assert.ok(test(prefix));
        assert.ok(test(`${prefix}/`));
        assert.ok(test(`${prefix}/${rest}`));
        assert.ok(!test(prefix + rest));
        assert.ok(!test(prefix.slice(0, -1)) || prefix.length === 2);
        assert.ok(!test(`/x${prefix}`));
      }),
    );
  });

  it('are the same with and without a trailing slash', () => {
    for (const one of ['/admin', '/admin/', '/admin//'])
      assert.deepEqual(['/admin', '/admin/', '/admin/x', '/administrator', '/'].map(compilePath(one)), [
        true,
        true,
        true,
        false,
        false,
      ]);
    assert.deepEqual(['/', '/x', '//'].map(compilePath('/')), [true, true, true]);
  });

  it('as expressions are tested against the whole path, and do not remember the last request', () => {
    for (const flags of ['', 'g', 'y', 'gy', 'i']) {
      const test = compilePath(new RegExp('^/(?:admin|staff)(?:/|$)', flags));
      for (let round = 0; round < 3; round++) {
        assert.ok(test('/admin/x'), `flags ${flags}, round ${round}`);
        assert.ok(!test('/x/admin'));
      }
      assert.equal(test('/ADMIN'), flags === 'i');
    }
  });

  it('in a list match if one of them does; an empty list never matches', () => {
    const test = compilePath(['/a', /^\/b/, /^\/\d\/c/]);
    assert.deepEqual(['/a/1', '/bb', '/1/c', '/c'].map(test), [true, true, true, false]);
    assert.equal(compilePath([])('/'), false);
  });

  it('that are invalid are refused with the reason', () => {
    for (const bad of [
      'admin',
      '',
      '*',
      '/a/*',
      '/a/{',
      '/{a b}',
      '/{a}b',
      '/a}',
      '/{1}',
      '/{tenant}/admin',
      '/{a|b}',
    ])
      assert.throws(() => compilePath(bad), { code: 'SECURITY_BAD_OPTION' }, bad);
  });

  it('as text are compared literally: no character has a special meaning', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab.+()[]^$|\\'.split('')), minLength: 1, maxLength: 6 }),
        (text) => {
          fc.pre(text !== '.' && text !== '..'); // dot segments are refused
          const test = compilePath(`/${text}`);
          assert.ok(test(`/${text}`));
          assert.ok(!test(`/${text.replaceAll(/./g, 'z')}`));
        },
      ),
    );
  });
});

describe('access rule conditions', () => {
  it('without any match every request', () => {
    assert.ok(holds({}, {}));
  });

  it('compare addresses as numbers, in any spelling', () => {
    const rows: [ranges: string[], address: string | undefined, expected: boolean][] = [
      [['10.0.0.0/8'], '10.255.0.1', true],
      [['10.0.0.0/8'], '11.0.0.0', false],
      [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
      [['10.0.0.0/8'], '::FFFF:a01:203', true],
      [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
      [['127.0.0.1'], '::ffff:127.0.0.1', true],
      [['127.0.0.1'], '127.0.0.2', false],
      [['fe80::/10'], 'fe80::1%eth0', true],
      [['2001:db8::/32'], '2001:0DB8:0:0::1', true],
      [['2001:db8::/32'], '2001:db9::1', false],
      [['0.0.0.0/0'], '203.0.113.9', true],
      [['0.0.0.0/0'], '2001:db8::1', false],
      [['::/0'], '203.0.113.9', true],
      [['10.0.0.1', '::1'], '::1', true],
      [['10.0.0.0/8'], undefined, false],
      [['10.0.0.0/8'], 'unknown', false],
    ];
    for (const [ips, clientAddress, expected] of rows)
      assert.equal(holds({ ips }, { clientAddress }), expected, `${ips.join()} ${clientAddress}`);
  });

  it('refuse an invalid range', () => {
    for (const bad of [
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '10.0.0.0/8/9',
      '::/129',
      '10.0.0',
      'localhost',
      '',
      '10.0.0.0/08',
    ])
      assert.throws(() => compileConditions({ ips: [bad] }), { code: 'SECURITY_BAD_OPTION' }, bad);
  });

  it('compare hosts case-insensitively, as text or with a stateless expression', () => {
    assert.ok(holds({ host: 'Admin.Example.ORG' }, { host: 'admin.example.org' }));
    assert.ok(!holds({ host: 'example.org' }, { host: 'admin.example.org' }));
    const byExpression = compileConditions({ host: /^admin\./g });
    for (let round = 0; round < 3; round++)
      assert.ok(byExpression({ host: 'admin.example.org' } as HttpRequest)); // the only part used
  });

  it('for GET also cover HEAD', () => {
    assert.ok(holds({ methods: ['get', 'post'] }, { method: 'POST' }));
    assert.ok(holds({ methods: ['GET'] }, { method: 'HEAD' }));
    assert.ok(!holds({ methods: ['POST'] }, { method: 'HEAD' }));
  });

  it('match routes by name; a request without a route has none', () => {
    assert.ok(holds({ route: 'article' }, { route: 'article' }));
    assert.ok(holds({ route: ['home', 'article'] }, { route: 'article' }));
    assert.ok(!holds({ route: 'article' }, { route: 'articles' }));
    assert.ok(!holds({ route: ['article'] }, {}));
  });

  it('must all hold', () => {
    const all: RequestConditions = {
      path: '/admin',
      host: 'example.org',
      methods: ['GET'],
      ips: ['192.0.2.0/24'],
      when: (request) => request.path.length < 20,
    };
    assert.ok(holds(all, { path: '/admin/x' }));
    const wrong: Facts[] = [
      { path: '/other' },
      { path: '/admin', host: 'example.com' },
      { path: '/admin', method: 'POST' },
      { path: '/admin', clientAddress: '198.51.100.1' },
      { path: `/admin/${'x'.repeat(20)}` },
    ];
    for (const facts of wrong) assert.ok(!holds(all, facts), JSON.stringify(facts));
  });
});

interface Asked {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly address?: string;
}

const trust = createTrustPolicy({ trustedProxies: ['10.0.0.1'] });

function ask({
  method = 'GET',
  target = '/',
  headers = {},
  body,
  address = '10.0.0.1',
}: Asked = {}): HttpRequest {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(body ?? '');
  };
  return new HttpRequest(
    {
      method,
      target,
      rawHeaders: ['Host', 'localhost', ...Object.entries(headers).flat()],
      httpVersion: '1.1',
      peer: { address, port: 1, encrypted: false },
      ...(body === undefined ? {} : { body: { chunks } }),
    },
    { trust },
  );
}

describe('wantsPage', () => {
  it('is true for a browser navigation, or a client that prefers HTML to JSON', () => {
    for (const [headers, expected] of [
      [{ Accept: 'text/html,*/*;q=0.8' }, true],
      [{ 'Sec-Fetch-Mode': 'navigate' }, true],
      [{}, false],
      [{ Accept: '*/*' }, false],
      [{ Accept: 'text/html, application/json' }, true],
      [{ Accept: 'application/json, text/html;q=0.5' }, false],
      [{ Accept: 'text/html', 'Content-Type': 'application/json' }, false],
      [{ Accept: 'text/html', 'Content-Type': '/' }, true],
    ] as const)
      assert.equal(wantsPage(ask({ headers })), expected, JSON.stringify(headers));
  });
});
