import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { fetch as fetchOfUndici } from 'undici';
import { createDispatcher } from '#core/events';
import { html } from '#core/html';
import { HttpRequest, type HttpResponse } from '#core/http';
import { viewEvent, type ViewEvent } from '../exchange/kernel-exchange.js';
import { viewListener } from './built-in-listeners.js';

const request = new HttpRequest({
  method: 'GET',
  target: '/',
  rawHeaders: ['Host', 'localhost'],
  httpVersion: '1.1',
  peer: { address: '127.0.0.1', port: 1, encrypted: false },
});

function view(result: unknown): HttpResponse | undefined {
  const dispatcher = createDispatcher();
  viewListener.addTo(dispatcher);
  const event: ViewEvent = { request, result, response: undefined };
  assert.equal(dispatcher.dispatch(viewEvent, event), undefined, 'the view listener is synchronous');
  return event.response;
}

describe('the response for a result', () => {
  it("has the result's type", async () => {
    const bytes = new Uint8Array([1, 2]);
    const lines = async function* (): AsyncGenerator<string> {
      yield 'a';
    };
    for (const [result, type, status] of [
      ['<b>', 'text/plain; charset=utf-8', 200],
      [html`<b>x</b>`, 'text/html; charset=utf-8', 200],
      [bytes, 'application/octet-stream', 200],
      [new ReadableStream(), 'application/octet-stream', 200],
      [lines(), 'application/octet-stream', 200],
      [{ a: 1 }, 'application/json', 200],
      [[1, 2], 'application/json', 200],
      [0, 'application/json', 200],
      [false, 'application/json', 200],
      [new Date(0), 'application/json', 200],
      [new Response('x', { status: 201, headers: { 'Content-Type': 'text/x' } }), 'text/x', 201],
    ] as const) {
      const response = view(result);
      assert.equal(response?.headers.get('content-type'), type);
      assert.equal(response.status, status);
    }
    assert.equal(view(bytes)?.body, bytes);
    assert.equal(
      view({ [Symbol.asyncIterator]: lines })?.headers.get('content-type'),
      'application/octet-stream',
    );
  });

  it("is that of a Response from another class, such as undici's", async () => {
    const answers = createServer((_request, response) => {
      response.writeHead(201, { 'Content-Encoding': 'gzip', 'X-Own': 'yes' });
      response.end(gzipSync('hello'));
    });
    await once(answers.listen(0, '127.0.0.1'), 'listening');
    const { port } = answers.address() as AddressInfo; // a TCP server has an address object
    const response = view(await fetchOfUndici(`http://127.0.0.1:${port}/`));
    assert.equal(response?.status, 201);
    assert.equal(response.headers.get('x-own'), 'yes');
    assert.equal(response.headers.has('content-encoding'), false);
    assert.equal(await response.toWeb().text(), 'hello');
    answers.closeAllConnections();
    answers.close();
  });

  it('is left to the explanatory error if nothing was returned, or nothing that survives JSON', () => {
    const buffer = new Uint8Array(2).buffer;
    const lists = [
      new Map([[1, 2]]),
      new Set([1]),
      new Headers({ a: 'b' }),
      new Blob(['x']),
      buffer,
      [1].values(),
    ];
    for (const nothing of [undefined, null, () => 'x', Symbol('s'), 1n, ...lists, new Error('e')])
      assert.equal(view(nothing), undefined);
  });

  it('is JSON for an object without members, and for one with toJSON', () => {
    class Empty {}
    const shown = Object.assign(new Map([[1, 2]]), { toJSON: () => ({ size: 1 }) });
    for (const empty of [{}, new Empty(), Object.create(null)]) assert.equal(view(empty)?.body, '{}');
    assert.equal(view(shown)?.body, '{"size":1}');
  });

  it('is never markup, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('<html>', '<!doctype html>', '<script>')), (text) => {
        assert.equal(view(text)?.headers.get('content-type'), 'text/plain; charset=utf-8');
        assert.equal(view(text)?.body, text);
      }),
    );
  });

  it('is the JSON of any plain value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.object(), fc.array(fc.jsonValue())), (value) => {
        assert.equal(view(value)?.body, JSON.stringify(value));
      }),
    );
  });

  it("keeps all of a web response's cookies", () => {
    const web = new Response('x');
    web.headers.append('Set-Cookie', 'a=1');
    web.headers.append('Set-Cookie', 'b=2');
    assert.deepEqual(view(web)?.headers.getAll('set-cookie'), ['a=1', 'b=2']);
  });
});
