import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpResponse, type SentResponse } from '#core/http';
import { terminateEvent } from '#framework/kernel';
import type { App } from '../app.js';
import { createApp } from '../create-app.js';

const configuration = { env: 'test', debug: false, profilerStore: 'off', trustedHosts: ['*'] } as const;

/** An application, and the facts recorded for each response when it was finished. */
function createNotingApp(): { app: App; sent: SentResponse[] } {
  const app = createApp({ configuration, logHandlers: [] });
  const sent: SentResponse[] = [];
  app.on(terminateEvent, (event) => void sent.push(event.sent));
  return { app, sent };
}

const lengthOf = (response: Response): string | null => response.headers.get('content-length');

describe('app.fetch', () => {
  it('refuses arguments that describe no request, with a code', async () => {
    const { app } = createNotingApp();
    app.post('/', async ({ request }) => request.text());
    const fetch = app.fetch as (...given: unknown[]) => Promise<Response>; // what JavaScript may pass
    for (const given of [
      ['http://['],
      ['http://ada:secret@site.test/'],
      ['/', { method: 'GE T' }],
      ['/', { body: 'x' }],
      ['/', { headers: { 'a b': 'x' } }],
      [{ url: 'nowhere' }],
      [{ url: 'http://site.test/' }],
    ])
      await assert.rejects(fetch(...given), { code: 'FRAMEWORK_BAD_REQUEST', name: 'CodedError' });
    for (const given of [[undefined], [null], [5], [new URL('http://site.test')], ['/', { stopping: 1 }]])
      await assert.rejects(fetch(...given), { code: 'OPTIONS_BAD_VALUE' });
    await assert.rejects(fetch('/', { peer: { address: 'ada' } }), { code: 'HTTP_PEER_INVALID' });
    for (const init of [null, 5]) await assert.rejects(fetch('/', init), { code: 'OPTIONS_NOT_AN_OBJECT' });
    await assert.rejects(fetch('/', { header: {} }), { code: 'OPTIONS_UNKNOWN', message: /mean "headers"/ });
    const body = new Blob(['streamed']).stream();
    const streamed = await fetch('/', { method: 'POST', body, duplex: 'half' });
    assert.equal(await streamed.text(), 'streamed');
    for (const value of [undefined, null, '/', {}, new Request('http://site.test')])
      assert.throws(() => app.handle(value as never), { code: 'OPTIONS_BAD_VALUE', message: /app\.handle/ });
    await app.close();
  });

  it('answers HEAD without the body, but with its length', async () => {
    const { app, sent } = createNotingApp();
    app.get('/text', () => HttpResponse.text('äb'));
    app.get('/own', () => {
      const response = HttpResponse.text('ab');
      response.headers.set('Content-Length', '77');
      return response;
    });
    app.get('/none', () => new HttpResponse(null));
    let isStopped = false;
    app.get('/stream', () =>
      HttpResponse.stream(
        new ReadableStream({
          pull: (controller) => controller.enqueue(Buffer.from('a')),
          cancel: () => void (isStopped = true),
        }),
      ),
    );
    const lengths: (string | null)[] = [];
    for (const path of ['/text', '/own', '/none', '/stream']) {
      const response = await app.fetch(path, { method: 'HEAD' });
      assert.equal(response.body, null);
      lengths.push(lengthOf(response));
    }
    assert.deepEqual(lengths, ['3', '77', null, null]);
    assert.equal(isStopped, true, 'the stream of an unsent body is cancelled');
    assert.deepEqual(
      sent.map(({ bodyBytes, completed }) => [bodyBytes, completed]),
      [[0, true], [0, true], [0, true], [0, true]], // prettier-ignore
    );
    assert.equal(await (await app.fetch('/text')).text(), 'äb');
    await app.close();
  });

  it('sends no body with a status that has none', async () => {
    const { app, sent } = createNotingApp();
    app.get('/{status}', ({ params }) => new HttpResponse('text', { status: Number(params.status) }));
    for (const status of [204, 205, 304]) {
      const response = await app.fetch(`/${status}`);
      assert.deepEqual([response.status, response.body, lengthOf(response)], [status, null, null]);
    }
    assert.deepEqual(
      sent.map(({ status, bodyBytes }) => [status, bodyBytes]),
      [[204, 0], [205, 0], [304, 0]], // prettier-ignore
    );
    await app.close();
  });

  it("records each response's status, fields and sent bytes", async () => {
    const { app, sent } = createNotingApp();
    app.get('/text', () => HttpResponse.text('äb', { status: 201 }));
    app.get('/bytes', () => new HttpResponse(new Uint8Array(5)));
    async function* chunks(): AsyncGenerator<Uint8Array | string> {
      yield 'ä';
      yield new Uint8Array(3);
    }
    app.get('/stream', () => HttpResponse.stream(chunks()));
    await app.fetch('/text');
    await app.fetch('/bytes');
    const stream = await app.fetch('/stream');
    assert.equal(sent.length, 2, 'a stream ends only when it is read');
    assert.equal((await stream.arrayBuffer()).byteLength, 5);
    assert.deepEqual(
      sent.map(({ status, bodyBytes, completed }) => [status, bodyBytes, completed]),
      [[201, 3, true], [200, 5, true], [200, 5, true]], // prettier-ignore
    );
    assert.ok(sent.every(({ headers }) => Object.isFrozen(headers)));
    assert.ok(sent[0]?.headers.some((field) => /text\/plain/.test(field)));
    await app.close();
  });

  it('records that a stream was not sent completely if it fails, or if no one reads it', async () => {
    const { app, sent } = createNotingApp();
    let isStopped = false;
    async function* chunks(fails: boolean): AsyncGenerator<string> {
      try {
        yield 'one';
        if (fails) throw new Error('disk');
        yield 'two';
        yield 'three';
      } finally {
        isStopped = true;
      }
    }
    app.get('/fails', () => HttpResponse.stream(chunks(true)));
    app.get('/long', () => HttpResponse.stream(chunks(false)));
    await assert.rejects((await app.fetch('/fails')).text(), /disk/);
    assert.deepEqual([sent[0]?.bodyBytes, sent[0]?.completed, isStopped], [3, false, true]);
    isStopped = false;
    const reader = (await app.fetch('/long')).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    assert.deepEqual([sent[1]?.completed, isStopped, sent.length], [false, true, 2]);
    await app.close();
  });

  it('responds with the original bytes, whatever listeners do with them afterwards', async () => {
    const { app } = createNotingApp();
    const bytes = new Uint8Array([1, 2, 3]);
    app.get('/', () => new HttpResponse(bytes));
    app.on(terminateEvent, () => void bytes.fill(0));
    assert.deepEqual([...new Uint8Array(await (await app.fetch('/')).arrayBuffer())], [1, 2, 3]);
    await app.close();
  });

  it('accepts a path or a request, each with options that change it', async () => {
    const { app } = createNotingApp();
    app.post('/', async ({ request }) => `${await request.text()} from ${request.clientAddress ?? 'no one'}`);
    const request = new Request('http://localhost/', { method: 'POST', body: 'given' });
    const peer = { address: '203.0.113.9' };
    const said = async (...given: Parameters<typeof app.fetch>): Promise<string> =>
      (await app.fetch(...given)).text();
    assert.equal(await said(request.clone(), { body: 'changed' }), 'changed from no one');
    assert.equal(await said(request.clone(), { body: 'changed', peer }), 'changed from 203.0.113.9');
    assert.equal(await said('/', { method: 'POST', body: 'new', peer }), 'new from 203.0.113.9');
    const { signal } = new AbortController();
    assert.equal(await said(request, { peer, stopping: signal }), 'given from 203.0.113.9');
    assert.equal(request.bodyUsed, true, 'without a change it is read itself');
    await app.close();
  });
});
