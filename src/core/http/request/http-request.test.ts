import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { httpErrors } from '../failures/error-codes.js';
import { createTrustPolicy } from '../trust/trust-policy.js';
import { fromWebRequest } from './from-web-request.js';
import { HttpRequest } from './http-request.js';
import type { RequestSource } from '../source/request-source.js';
import { HttpResponse } from '../response/http-response.js';
import { validateRequest } from './validate-request.js';

const proxies = createTrustPolicy({
  trustedProxies: ['10.0.0.0/8', '::1'],
  trustedHosts: ['a.example', '*.b.example', '::1'],
});

function request(
  source: Partial<RequestSource>,
  fields: readonly string[] = [],
  trust = proxies,
): HttpRequest {
  return new HttpRequest(
    {
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'a.example', ...fields],
      httpVersion: '1.1',
      peer: { address: '10.0.0.1', port: 1, encrypted: false },
      ...source,
    },
    { trust },
  );
}

const stranger = { peer: { address: '203.0.113.9', port: 1, encrypted: false } };

describe("R4: a request's URL", () => {
  it('is scheme, host, non-default port, and path as sent, without the query', () => {
    assert.equal(request({ target: '/a%20b//c;d?e=f' }).url, 'http://a.example/a%20b//c;d');
    assert.equal(request({ rawHeaders: ['host', 'A.Example:8000'] }).url, 'http://a.example:8000/');
    assert.equal(request({ rawHeaders: ['Host', 'a.example:80'] }).url, 'http://a.example/');
    assert.equal(
      request({ rawHeaders: ['Host', 'a.example:443'], peer: { address: '', port: 0, encrypted: true } }).url,
      'https://a.example/',
    );
    assert.equal(request({ rawHeaders: ['Host', '[::1]:81'] }).url, 'http://[::1]:81/');
  });

  it("uses an absolute target's host, whatever the Host field says", () => {
    const absolute = request({ target: 'http://x.b.example:81/p?q' });
    assert.deepEqual(
      [absolute.url, absolute.rawPath, absolute.rawQuery],
      ['http://x.b.example:81/p', '/p', 'q'],
    );
    assert.equal(request({ target: 'http://x.b.example?q' }).path, '/');
  });

  it('is never redirected elsewhere by its path', () => {
    for (const target of ['/@google.com', '//google.com/', '/:80@x', '/\\google.com', '/..//x']) {
      assert.equal(request({ target }).url, `http://a.example${target}`);
      assert.equal(request({ target }).host, 'a.example');
    }
  });
});

describe('forwarding headers', () => {
  const https = [
    'X-Forwarded-Proto',
    'https',
    'X-Forwarded-Host',
    'x.b.example',
    'X-Forwarded-For',
    '198.51.100.7',
  ];

  it('count only from a trusted proxy', () => {
    const near = request({}, https);
    assert.deepEqual([near.url, near.clientAddress], ['https://x.b.example/', '198.51.100.7']);
    const far = request(stranger, https);
    assert.deepEqual([far.url, far.clientAddress], ['http://a.example/', '203.0.113.9']);
    validateRequest(request(stranger, ['X-Forwarded-For', 'rubbish', 'Forwarded', '"']));
  });

  it('depend on the connection and the policy', () => {
    const fields = ['X-Forwarded-For', '198.51.100.7', 'X-Forwarded-Proto', 'https'];
    const nobody = createTrustPolicy({});
    for (let round = 0; round < 2; round++) {
      const seen = [
        request({}, fields),
        request(stranger, fields),
        request({}, fields, nobody),
        request({ peer: { address: '203.0.113.9', port: 1, encrypted: true } }, fields),
        request({ target: 'http://b.b.example/' }, fields),
      ].map(({ origin, clientAddress }) => `${clientAddress} ${origin}`);
      assert.deepEqual(seen, [
        '198.51.100.7 https://a.example',
        '203.0.113.9 http://a.example',
        '10.0.0.1 http://a.example',
        '203.0.113.9 https://a.example',
        '198.51.100.7 https://b.b.example',
      ]);
    }
  });

  it('make the client the nearest address that is not a trusted proxy', () => {
    const client = (chain: string): string | undefined =>
      request({}, ['X-Forwarded-For', chain]).clientAddress;
    assert.equal(client('6.6.6.6, 198.51.100.7, 10.0.0.2'), '198.51.100.7');
    assert.equal(client('198.51.100.7:4711'), '198.51.100.7');
    assert.equal(client('[2001:db8::1]:80'), '2001:db8::1');
    assert.equal(client('198.51.100.7, unknown, 10.0.0.2'), '10.0.0.2');
    assert.equal(client('10.0.0.3, 10.0.0.2'), '10.0.0.3');
    assert.equal(
      request({}, ['Forwarded', 'for="[2001:db8::2]:1";proto=https;host=x.b.example:8443']).url,
      'https://x.b.example:8443/',
    );
  });

  it("X-Forwarded-Port sets the port, and a forwarded host drops the proxy's own port", () => {
    assert.equal(
      request({}, ['X-Forwarded-Port', '8443', 'X-Forwarded-Proto', 'https']).url,
      'https://a.example:8443/',
    );
    assert.equal(
      request({ rawHeaders: ['Host', 'a.example:3000', 'X-Forwarded-Host', 'x.b.example'] }).url,
      'http://x.b.example/',
    );
  });

  it('R8: contradictory or malformed ones from a trusted proxy are bad requests', () => {
    const bad: readonly (readonly [readonly string[], string])[] = [
      [['X-Forwarded-Proto', 'https, http'], 'HTTP_FORWARDED_CONFLICT'],
      [['X-Forwarded-Proto', 'https', 'X-Forwarded-Proto', 'http'], 'HTTP_FORWARDED_CONFLICT'],
      [['X-Forwarded-Host', 'x.b.example, y.b.example'], 'HTTP_FORWARDED_CONFLICT'],
      [['X-Forwarded-Host', 'x.b.example:1', 'X-Forwarded-Port', '2'], 'HTTP_FORWARDED_CONFLICT'],
      [['X-Forwarded-Proto', 'https', 'Forwarded', 'proto=http'], 'HTTP_FORWARDED_CONFLICT'],
      [['X-Forwarded-For', '1.1.1.1', 'Forwarded', 'for=2.2.2.2'], 'HTTP_FORWARDED_CONFLICT'],
      [['X-Forwarded-Proto', 'ftp'], 'HTTP_FORWARDED_MALFORMED'],
      [['X-Forwarded-Host', 'a b'], 'HTTP_FORWARDED_MALFORMED'],
      [['X-Forwarded-Port', 'x'], 'HTTP_FORWARDED_MALFORMED'],
      [['X-Forwarded-For', 'localhost'], 'HTTP_FORWARDED_MALFORMED'],
      [['X-Forwarded-For', '1.1.1.1,,2.2.2.2'], 'HTTP_FORWARDED_MALFORMED'],
      [
        ['X-Forwarded-For', Array.from({ length: 60 }, () => '1.1.1.1').join(',')],
        'HTTP_FORWARDED_MALFORMED',
      ],
      [['Forwarded', 'for="'], 'HTTP_FORWARDED_MALFORMED'],
      [['X-Forwarded-Host', 'evil.example'], 'HTTP_HOST_NOT_ALLOWED'],
    ];
    for (const [fields, code] of bad) {
      assert.throws(
        () => validateRequest(request({}, fields)),
        (error: Error & { status?: number; cause?: Error & { code?: string } }) => {
          assert.deepEqual([error.status, error.cause?.code], [400, code], fields.join());
          assert.equal(error.message, error.cause?.message);
          return true;
        },
      );
    }
  });
});

describe('R8: allowed hosts', () => {
  it('a host is allowed if it is listed, or matches a star for its domain', () => {
    const allowed = (host: string): boolean => proxies.isAllowedHost(host);
    assert.deepEqual(
      ['a.example', 'x.b.example', 'y.x.b.example', '[::1]', '[0:0:0:0:0:0:0:1]'].map(allowed),
      [true, true, true, true, true],
    );
    assert.deepEqual(
      ['b.example', 'xb.example', 'a.example.evil', 'evil-a.example', '127.0.0.1', ''].map(allowed),
      [false, false, false, false, false, false],
    );
    assert.throws(
      () => validateRequest(request({ rawHeaders: ['Host', 'evil.example'] })),
      /Untrusted Host "evil.example"/,
    );
    assert.equal(createTrustPolicy({ trustedHosts: ['*'] }).isAllowedHost('x'), true);
    assert.equal(createTrustPolicy().isAllowedHost('x'), true);
    assert.equal(createTrustPolicy({ trustedHosts: [] }).isAllowedHost('x'), false);
  });

  it('an invalid entry is named', () => {
    assert.throws(() => createTrustPolicy({ trustedHosts: ['a b'] }), {
      code: 'HTTP_TRUST_MALFORMED',
      message: 'trustedHosts contains "a b", which is not a host name.',
    });
    assert.throws(() => createTrustPolicy({ trustedHosts: ['a:80'] }), { code: 'HTTP_TRUST_MALFORMED' });
    assert.throws(() => createTrustPolicy({ trustedProxies: ['10.0.0.0/33'] }), {
      code: 'HTTP_TRUST_MALFORMED',
    });
    assert.equal(
      createTrustPolicy({ trustedProxies: ['private'] }).isTrustedProxy('::ffff:192.168.3.4'),
      true,
    );
  });
});

describe('method override', () => {
  const override = (value: string, method = 'POST'): HttpRequest =>
    request({ method }, ['X-HTTP-Method-Override', value]);
  it('changes a POST and nothing else', () => {
    assert.equal(override('put').method, 'PUT');
    assert.equal(override('PUT').source.method, 'POST');
    for (const method of ['GET', 'PUT', 'DELETE']) assert.equal(override('PATCH', method).method, method);
  });

  it('R8: an invalid method, or one that would make the request look safe, is a bad request', () => {
    for (const value of ['GET', 'head', 'P T', '', 'PUT,PUT', '__proto__']) {
      assert.throws(() => validateRequest(override(value)), {
        status: 400,
        message: `Invalid method override "${value}".`,
      });
    }
  });
});

describe('a refused request', () => {
  it('can still be inspected: no getter throws', () => {
    const wrecks: readonly Partial<RequestSource>[] = [
      { rawHeaders: [] },
      { target: 'x?y' },
      { target: '/%zz' },
      { target: '\x00' },
      { method: 'POST', rawHeaders: ['Host', 'a.example', 'X-HTTP-Method-Override', '<b>'] },
      { rawHeaders: ['Host', 'a.example', 'X-Forwarded-Proto', 'ftp'] },
      {
        failure: httpErrors.create('HTTP_PARSER_REFUSED', { reason: 'x' }),
        target: '',
        method: '-',
        httpVersion: '',
        rawHeaders: [],
      },
    ];
    for (const wreck of wrecks) {
      const refused = request(wreck);
      assert.throws(() => validateRequest(refused), { status: 400 });
      for (const key of [
        'method',
        'rawPath',
        'rawQuery',
        'path',
        'query',
        'cookies',
        'scheme',
        'host',
        'port',
        'origin',
        'url',
        'clientAddress',
        'target',
      ] as const) {
        assert.doesNotThrow(() => refused[key], `${key} of ${JSON.stringify(wreck)}`);
      }
    }
    assert.throws(
      () => request({ target: '/%zz' }).path,
      { code: 'ROUTING_MALFORMED_PATH' },
      'reading the path throws until the request is refused',
    );
    assert.equal(request({ target: 'x?y' }).rawPath, 'x');
  });
});

describe('conversion to and from web requests', () => {
  it('keeps method, URL, headers, body and signal', async () => {
    const controller = new AbortController();
    const web = new Request('https://a.example:8443/p?q=1', {
      method: 'PUT',
      body: 'text',
      headers: { 'X-A': '1' },
      signal: controller.signal,
    });
    const ours = fromWebRequest(web);
    validateRequest(ours);
    assert.deepEqual(
      [ours.method, ours.url, ours.query.get('q'), ours.headers.get('x-a')],
      ['PUT', 'https://a.example:8443/p', '1', '1'],
    );
    const back = ours.web;
    assert.equal(back, ours.web);
    assert.deepEqual(
      [back.method, back.url, back.headers.get('x-a')],
      ['PUT', 'https://a.example:8443/p?q=1', '1'],
    );
    assert.equal(await back.text(), 'text');
    controller.abort();
    assert.equal(back.signal.aborted, true);
  });

  it('never aborts a request without a signal', () => {
    assert.equal(request({}).signal.aborted, false);
    assert.equal(request({}).web.body, null);
  });
});

describe('laziness', () => {
  it('creates a request without reading more than its header list', () => {
    const trap = new Proxy<RequestSource>(request({}).source, {
      get: (target, key) => {
        if (key === 'rawHeaders' || key === 'headers') return target[key];
        if (key === 'failure') return undefined;
        throw new Error(`${String(key)} was read`);
      },
    });
    assert.ok(new HttpRequest(trap, { trust: proxies }));
  });
});

describe("a body's declared length", () => {
  it('is a number of up to 19 digits, or refused with the first hundred characters that were sent', () => {
    const lengthOf = (value: string): number | undefined =>
      request({}, ['Content-Length', value]).declaredLength;
    assert.deepEqual(
      [request({}).declaredLength, lengthOf('0'), lengthOf('007'), lengthOf('9'.repeat(19))],
      [undefined, 0, 7, 1e19],
    );
    for (const bad of ['', '-1', '1e3', '0x10', '9'.repeat(20), '1, 1', '٣'])
      assert.throws(() => lengthOf(bad), { status: 400 }, bad);
    const long = `x${'1'.repeat(98)}2`;
    assert.throws(
      () => lengthOf(`${long}3`),
      ({ message }: Error) => message.includes(long) && !message.includes(`${long}3`),
    );
  });
});

describe('request text quoted in an error', () => {
  it('is truncated', async () => {
    const long = `!${'x'.repeat(400)}`;
    const field = (name: string, value = long): HttpRequest => request({}, [name, value]);
    const quoted = async (bound: number, fail: () => unknown): Promise<void> =>
      assert.rejects(
        async () => fail(),
        ({ message }: Error) =>
          message.includes(long.slice(0, bound)) && !message.includes(long.slice(0, bound + 1)),
        `${bound}: ${String(fail)}`,
      );
    await quoted(100, () => validateRequest(request({ method: long })));
    await quoted(100, () => validateRequest(field('Transfer-Encoding')));
    await quoted(100, () => validateRequest(request({ method: 'POST' }, ['X-HTTP-Method-Override', long])));
    await quoted(100, () => fromWebRequest(new Request('http://a.example/'), { peer: { address: long } }));
    await quoted(200, () => field('Content-Type').mediaType);
    await quoted(200, () => validateRequest(field('X-Forwarded-Proto')));
    await quoted(300, () => validateRequest(request({ rawHeaders: ['Host', `${long}/`] })));
    const body = { chunks: async function* () { yield Buffer.from('x'); } }; // prettier-ignore
    await quoted(100, () => request({ method: 'POST', body }, ['Content-Encoding', long]).text());
    await quoted(300, () => HttpResponse.redirect(`${long}:`));
  });
});
