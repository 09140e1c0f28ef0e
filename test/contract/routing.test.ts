import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isOurServer, sharedService } from './service.js';
import type { Service } from './service.js';
import { recordOf } from './record-client.js';
import { ask as askAnything, askRaw, header, messagesOf, parseResponse, textOf } from './wire-client.js';
import type { WireRequest, WireResponse } from './wire-client.js';

/** Requests JSON. */
function ask(baseUrl: string, target: string, request: WireRequest = {}): Promise<WireResponse> {
  return askAnything(baseUrl, target, {
    ...request,
    headers: { Accept: 'application/json', ...request.headers },
  });
}

describe('requests and routing, over the wire', () => {
  let service: Service;
  before(async () => {
    service = await sharedService();
  });

  it('R1, R2: a path and method that match a route are answered by its controller', async () => {
    const response = await ask(service.url, '/en');
    assert.equal(response.status, 200);
    assert.ok(textOf(response.body).includes('Notes on what happens between a request and its response'));
    const { route, controller } = await recordOf(service.url, response);
    assert.equal(route?.name, 'home');
    assert.equal(controller?.name, 'home');
    // Bun does not report where a function was defined.
    if (isOurServer) assert.match(controller?.file ?? '', /site-routes\.ts$/);
  });

  it('R3: an unknown path is answered with both messages, and the outer one names the Referer', async () => {
    const plain = messagesOf(await ask(service.url, '/no/such/page'));
    assert.ok(plain.includes(`No route found for "GET ${service.url}/no/such/page"`), plain.slice(0, 500));
    assert.ok(plain.includes('No routes found for "/no/such/page/"'));
    for (const referer of [
      'http://localhost/from?x=1',
      'http://a.example/from',
      'https://www.google.com/',
      'http://a.example/?q="x"',
      'not a URL',
    ]) {
      const referred = await ask(service.url, '/no/such/page', { headers: { Referer: referer } });
      assert.equal(referred.status, 404);
      assert.match(header(referred, 'x-debug-token') ?? '', /^[0-9a-f]{6}$/, referer);
      const message = `No route found for "GET ${service.url}/no/such/page" (from "${referer}")`;
      assert.ok(messagesOf(referred).includes(message), messagesOf(referred).slice(0, 500));
    }
  });

  it('R4: the absolute URL keeps its encoding and loses its query; the inner path is decoded, without a doubled slash', async () => {
    const encoded = messagesOf(await ask(service.url, '/caf%C3%A9%20x?secret=1'));
    assert.ok(
      encoded.includes(`No route found for "GET ${service.url}/caf%C3%A9%20x"`),
      encoded.slice(0, 500),
    );
    assert.ok(encoded.includes('No routes found for "/café x/"'));
    const posted = messagesOf(await ask(service.url, '/nothing-here/', { method: 'POST', body: '' }));
    assert.ok(posted.includes('No routes found for "/nothing-here/"'));
    assert.ok(!posted.includes('"/nothing-here//"'));
    assert.ok(!posted.includes('No routes found for "/nothing-here/".'));
  });

  it('R5, R6: a wrong method is answered with 405, the message and the same Allow, without the Referer', async () => {
    const response = await ask(service.url, '/_profiler/abc123', {
      method: 'POST',
      body: '',
      headers: { Referer: 'http://localhost/' },
    });
    assert.equal(response.status, 405);
    assert.equal(header(response, 'allow'), 'GET');
    const text = messagesOf(response);
    assert.ok(
      text.includes(
        `No route found for "POST ${service.url}/_profiler/abc123": Method Not Allowed (Allow: GET)`,
      ),
      text.slice(0, 400),
    );
    assert.ok(!text.includes('(from "'));
  });

  it('R6: GET routes answer HEAD without a body, and OPTIONS with 405, its message and Allow', async () => {
    const head = await ask(service.url, '/en', { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.body, '');
    assert.ok(Number(header(head, 'content-length')) > 0);
    const options = await ask(service.url, '/_profiler/abc123', {
      method: 'OPTIONS',
      headers: { Accept: 'application/json' },
    });
    assert.equal(options.status, 405);
    assert.equal(header(options, 'allow'), 'GET');
    assert.ok(
      messagesOf(options).includes(
        `No route found for "OPTIONS ${service.url}/_profiler/abc123": Method Not Allowed (Allow: GET)`,
      ),
    );
    // Servers of other runtimes turn the asterisk into a path.
    if (isOurServer) assert.equal((await ask(service.url, '*', { method: 'OPTIONS' })).status, 204);
    assert.equal((await ask(service.url, '/no/such/page', { method: 'OPTIONS' })).status, 404);
  });

  const skip = isOurServer ? false : 'other runtimes refuse these before we see them';
  it(
    'R7, R8: an invalid request is answered with 400 and the reason, and recorded, and the server continues',
    { skip },
    async () => {
      const host = new URL(service.url).host;
      const cases: [name: string, bytes: string, status: number][] = [
        ['an invalid method', `G@T / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 400],
        ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
        ['two Hosts', `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 400],
        ['a malformed Host', 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
        ['bad percent-encoding', `GET /%zz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 400],
        ['NUL in the path', `GET /a%00b HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 400],
        [
          'two lengths',
          `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
          400,
        ],
        [
          'length and chunks',
          `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
          400,
        ],
        ['an unknown version', `GET / HTTP/9.9\r\nHost: ${host}\r\n\r\n`, 400],
        [
          'a header block over the limit',
          `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`,
          431,
        ],
        [
          'a URL over the limit',
          `GET /${'a'.repeat(9_000)} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
          414,
        ],
        [
          'a bad method override',
          `POST / HTTP/1.1\r\nHost: ${host}\r\nX-HTTP-Method-Override: B@D\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
          400,
        ],
      ];
      for (const [name, bytes, status] of cases) {
        const response = parseResponse(
          await askRaw(service.url, bytes.replace('\r\n', '\r\nAccept: application/json\r\n')),
        );
        assert.equal(response.status, status, name);
        assert.equal(header(response, 'x-robots-tag'), 'noindex', name);
        const token = header(response, 'x-debug-token');
        assert.match(token ?? '', /^[0-9a-f]{6,}$/, name);
        const record = await ask(service.url, `/_profiler/${token}.json`);
        assert.equal(record.status, 200, name);
        const { exception } = JSON.parse(record.body) as { exception: { errors: { message: string }[] } };
        const [inner, outer] = [exception.errors.at(-2)?.message, exception.errors.at(-1)?.message];
        assert.ok(exception.errors.length >= 2, name);
        assert.equal(outer, inner, name);
        assert.ok(messagesOf(response).includes(inner ?? '?'), name);
      }
      assert.equal((await ask(service.url, '/en')).status, 200);
    },
  );

  it('R9: GET /robots.txt has no route', async () => {
    const response = await ask(service.url, '/robots.txt');
    assert.equal(response.status, 404);
    assert.ok(messagesOf(response).includes('No routes found for "/robots.txt/"'));
  });

  it('R10: an extra slash is redirected for GET and HEAD with the query, and never for other methods', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(service.url, '/en/articles/?page=2&x=%20', { method });
      assert.equal(response.status, 301, method);
      assert.equal(
        new URL(header(response, 'location') ?? '', service.url).href,
        `${service.url}/en/articles?page=2&x=%20`,
      );
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await ask(service.url, '/en/articles/', { method });
      assert.deepEqual([response.status, header(response, 'location')], [404, undefined], method);
    }
  });
});
