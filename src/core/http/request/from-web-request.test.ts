import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromWebRequest } from './from-web-request.js';
import { validateRequest } from './validate-request.js';

describe('a web request', () => {
  it('has the parts of its URL', () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https'] }),
        (text) => {
          const { host, pathname, search, protocol, hostname } = new URL(text);
          const request = fromWebRequest(new Request(text));
          // An empty query is sent unchanged.
          const { target } = request.source;
          assert.equal(search === '' ? target.replace(/\?$/, '') : target, pathname + search);
          assert.equal(request.headers.get('host'), host);
          assert.equal(`${request.scheme}:`, protocol);
          assert.equal(request.host, hostname);
          assert.equal(request.rawQuery, search.slice(1));
        },
      ),
      { examples: [['http://h'], ['https://h:8443/a?b#c'], ['http://[::1]/x']] },
    );
  });

  it('keeps its own Host, and each of its fields', () => {
    const request = fromWebRequest(
      new Request('http://inner.example/', { headers: { Host: 'outer.example', 'X-A': '1', Cookie: 'a=b' } }),
    );
    assert.deepEqual(
      [request.host, request.headers.get('x-a'), request.cookies.get('a')],
      ['outer.example', '1', 'b'],
    );
  });

  it('has an address only if a valid peer was given', () => {
    const web = new Request('http://h/');
    assert.equal(fromWebRequest(web).clientAddress, undefined);
    assert.equal(fromWebRequest(web, { peer: { address: '203.0.113.9' } }).clientAddress, '203.0.113.9');
    assert.equal(fromWebRequest(web, { peer: { address: undefined } }).peer.port, 0);
    assert.equal(fromWebRequest(web, { peer: { address: '::1', encrypted: true } }).scheme, 'https');
    for (const address of ['', 'localhost', '1.2.3', '203.0.113.9, 10.0.0.1', '[::1]'])
      assert.throws(() => fromWebRequest(web, { peer: { address } }), { code: 'HTTP_PEER_INVALID' }, address);
  });

  it('has a body that is read once and bounded', async () => {
    const web = new Request('http://h/', { method: 'POST', body: 'x'.repeat(100) });
    const request = fromWebRequest(web, { limits: { ...fromWebRequest(web).limits, body: 50 } });
    validateRequest(request);
    await assert.rejects(request.text(), { status: 413 });
    const small = new Request('http://h/', { method: 'POST', body: 'small' });
    const read = fromWebRequest(small);
    assert.deepEqual([await read.text(), await read.text(), small.bodyUsed], ['small', 'small', true]);
    assert.equal(await fromWebRequest(new Request('http://h/')).text(), '');
  });

  it('is unchanged after conversion to an HttpRequest and back', async () => {
    const web = new Request('http://h/a%20b?c=d', { method: 'PUT', body: 'text', headers: { 'X-A': '1' } });
    const again = fromWebRequest(web).web;
    assert.deepEqual([again.method, again.url, again.headers.get('x-a')], ['PUT', 'http://h/a%20b?c=d', '1']);
    assert.equal(await again.text(), 'text');
  });
});
