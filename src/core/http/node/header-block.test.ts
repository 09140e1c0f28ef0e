import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpResponse } from '../response/http-response.js';
import { frameResponse, headerBlock, headText } from './header-block.js';

describe('a response head', () => {
  it('says how its body ends, as in RFC 9112 section 6.3', () => {
    const chunks = { async *[Symbol.asyncIterator]() {} };
    const streaming = { kind: 'chunked' } as const;
    const declared = { headers: { 'Content-Length': '7' } };
    for (const [response, method, expected] of [
      [HttpResponse.text('äb'), 'GET', { kind: 'length', length: 3 }],
      [HttpResponse.text('äb'), 'HEAD', { kind: 'length', length: 3 }],
      [new HttpResponse(Uint8Array.of(1, 2)), 'GET', { kind: 'length', length: 2 }],
      [new HttpResponse(null), 'GET', { kind: 'length', length: 0 }],
      [new HttpResponse(null), 'HEAD', { kind: 'none' }],
      [new HttpResponse(null, declared), 'HEAD', { kind: 'length', length: 7 }],
      [new HttpResponse(null, declared), 'GET', { kind: 'length', length: 0 }],
      [new HttpResponse(chunks), 'GET', streaming],
      [new HttpResponse(chunks), 'HEAD', { kind: 'none' }],
      [new HttpResponse(chunks, declared), 'GET', { kind: 'length', length: 7 }],
      [new HttpResponse(chunks, { headers: { 'Content-Length': '7, 8' } }), 'GET', streaming],
      [new HttpResponse('x', { status: 204 }), 'GET', { kind: 'none' }],
      [new HttpResponse('x', { status: 304 }), 'GET', { kind: 'none' }],
      [new HttpResponse('x', { status: 205 }), 'GET', { kind: 'length', length: 0 }],
    ] as const)
      assert.deepEqual(frameResponse(response, method, streaming), expected, `${method} ${response.status}`);
  });

  it('leaves the connection and the date to the server', () => {
    const names = [
      'Connection',
      'keep-alive',
      'TRANSFER-ENCODING',
      'Content-Length',
      'Trailer',
      'Proxy-Connection',
      'Date',
    ];
    const response = new HttpResponse('x', {
      headers: { ...Object.fromEntries(names.map((name) => [name, 'own'])), 'X-Own': 'kept', Dates: 'kept' },
    });
    const block = headerBlock(response, { kind: 'length', length: 1 }, 'timeout=5');
    assert.ok(!block.includes('own'));
    assert.match(
      headText(200, 'OK', block),
      /^HTTP\/1\.1 200 OK\r\nX-Own: kept\r\nDates: kept\r\nDate: [^\r]+ GMT\r\nKeep-Alive: timeout=5\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n$/,
    );
    const last = headerBlock(HttpResponse.empty(), { kind: 'none' }, undefined);
    assert.deepEqual(last.slice(-2), ['Connection', 'close']);
  });

  it('names the required protocol, with the matching connection option', () => {
    const response = new HttpResponse(null, { status: 426, headers: { Upgrade: 'websocket' } });
    const block = headerBlock(response, { kind: 'length', length: 0 }, undefined);
    assert.deepEqual(block.slice(0, 2), ['Upgrade', 'websocket']);
    assert.deepEqual(block.slice(-2), ['Connection', 'close, Upgrade']);
    const other = new HttpResponse(null, { headers: { Upgrade: 'websocket' } });
    assert.ok(!headerBlock(other, { kind: 'none' }, undefined).includes('websocket'));
  });
});
