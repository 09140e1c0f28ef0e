import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { App, RunningServer } from 'lookback';
import { createApp } from 'lookback';
import { compression, eventStream } from 'lookback/web';
import { until, untilStill } from '../until.js';

/** The client from the package eventsource, whose own types need newer compiler options than ours. */
interface Client {
  addEventListener(type: string, listener: (event: MessageEvent) => void): void;
  close(): void;
}
const clientPackage: string = 'eventsource';
const { EventSource } = (await import(clientPackage)) as { EventSource: new (url: string) => Client }; // its only export

const errors: string[] = [];
const ended: string[] = [];

function createTicker(tls = false): App {
  const app = createApp({
    configuration: {
      debug: false,
      profilerStore: 'memory:',
      port: 0,
      host: '127.0.0.1',
      ...(tls
        ? { tls: { cert: resolve('test/fixtures/tls/cert.pem'), key: resolve('test/fixtures/tls/key.pem') } }
        : {}),
    },
    extensions: [compression()],
    logHandlers: [{ minLevel: 'warning', handle: ({ message }) => errors.push(message) }],
  });
  app.get('/few', ({ request }) =>
    eventStream(request, async function* () {
      yield 'plain';
      yield { data: 'one\r\ntwo\rthree\nfour\n', id: '1', event: 'lines' };
      yield { data: { a: [1, 'é'] }, id: 'é2' };
      yield { data: '' };
    }),
  );
  app.get('/on/{name}', ({ request, params }) =>
    eventStream(
      request,
      async function* ({ lastEventId, signal }) {
        try {
          let number = Number(lastEventId ?? 0);
          yield { data: `from ${lastEventId ?? 'the start'}`, id: String(++number) };
          if (params.name === 'back') return;
          await new Promise((_done, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
          });
        } finally {
          ended.push(params.name);
        }
      },
      { heartbeatSeconds: 0.05, retryMilliseconds: 20 },
    ),
  );
  app.get('/endless', ({ request }) =>
    eventStream(request, async function* () {
      try {
        for (;;) {
          produced += 1;
          yield 'x'.repeat(10_000);
        }
      } finally {
        ended.push('endless');
      }
    }),
  );
  app.get('/bad', ({ request }) =>
    eventStream(request, async function* () {
      yield { data: 'x', id: 'two\nlines' };
    }),
  );
  return app;
}
let produced = 0;

describe('server-sent events', () => {
  const app = createTicker();
  let server: RunningServer;
  before(async () => {
    server = await app.listen();
  });
  after(() => app.close());

  it('reach a client as they were sent, including line breaks', async () => {
    const source = new EventSource(`${server.url}/few`);
    const got: [string, string, string][] = [];
    const note = ({ type, data, lastEventId }: MessageEvent): void => {
      got.push([type, String(data), lastEventId]);
    };
    source.addEventListener('message', note);
    source.addEventListener('lines', note);
    await until(() => got.length >= 4);
    source.close();
    assert.deepEqual(got.slice(0, 4), [
      ['message', 'plain', ''],
      ['lines', 'one\ntwo\nthree\nfour\n', '1'],
      ['message', '{"a":[1,"é"]}', 'é2'],
      ['message', '', ''],
    ]);
  });

  it('a reconnecting client says where it was, and two clients have separate streams', async () => {
    const got: string[] = [];
    const source = new EventSource(`${server.url}/on/back`);
    source.addEventListener('message', ({ data }) => void got.push(String(data)));
    const other = new EventSource(`${server.url}/on/other`);
    const others: string[] = [];
    other.addEventListener('message', ({ data }) => void others.push(String(data)));
    await until(() => got.length >= 3 && others.length > 0);
    source.close();
    other.close();
    assert.deepEqual(got.slice(0, 3), ['from the start', 'from 1', 'from 2']);
    assert.deepEqual(others, ['from the start']);
    await until(() => ended.includes('other'));
  });

  it('have their headers and a heartbeat; a client that leaves ends the generator, without an error', async () => {
    errors.length = 0;
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/on/leaver`, {
      signal: leaving.signal,
      headers: { 'Accept-Encoding': 'gzip, br' },
    });
    assert.deepEqual(
      ['content-type', 'cache-control', 'content-encoding'].map((name) => response.headers.get(name)),
      ['text/event-stream', 'no-cache, no-transform', null],
    );
    let text = '';
    assert.ok(response.body);
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.endsWith(':\n\n:\n\n')) break;
    }
    assert.equal(text, 'retry: 20\n\nid: 1\ndata: from the start\n\n:\n\n:\n\n');
    leaving.abort();
    await until(() => ended.includes('leaver'));
    assert.deepEqual(errors, []);
  });

  it('are produced only as fast as the client reads them', async () => {
    produced = 0;
    const response = await fetch(`${server.url}/endless`);
    const reader = response.body?.getReader();
    await reader?.read();
    await untilStill(() => produced);
    assert.ok(produced < 2000, `${produced} events of 10 kB, none of them read`);
    await reader?.cancel();
    await until(() => ended.includes('endless'));
  });

  it("an id with a line break is an error, which ends the client's stream and is logged", async () => {
    errors.length = 0;
    await (await fetch(`${server.url}/bad`)).text().catch(() => '');
    await until(() => errors.length > 0);
    assert.match(errors.join(), /The id of an event contains a line break/);
  });

  it('continue after the last id without a socket too', async () => {
    const response = await app.fetch('/on/fetched', { headers: { 'Last-Event-ID': '41' } });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('data:')) text += (await reader?.read())?.value ?? '';
    assert.match(text, /id: 42\ndata: from 41\n\n$/);
    await reader?.cancel();
    await until(() => ended.includes('fetched'));
  });

  it('end immediately when the server stops', async () => {
    const stopping = createTicker();
    const { url } = await stopping.listen();
    const response = await fetch(`${url}/on/stopped`);
    let text = '';
    const rest = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeTo(new WritableStream({ write: (chunk) => void (text += chunk) }));
    await until(() => text.includes('id: 1\n'));
    await stopping.close();
    await rest; // which rejects if the connection is cut off
    assert.match(text, /^retry: 20\n\nid: 1\n/);
    assert.ok(ended.includes('stopped'));
  });
});

describe('server-sent events over TLS', () => {
  const app = createTicker(true);
  let server: RunningServer;
  before(async () => {
    server = await app.listen();
  });
  after(() => app.close());

  it('are the same over HTTP/1.1 and HTTP/2', async () => {
    const first = await new Promise<string>((done, reject) => {
      const sent = httpsRequest(`${server.url}/few`, { rejectUnauthorized: false }, (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => done(text));
      });
      sent.on('error', reject);
      sent.end();
    });
    const session = connect(server.url, { rejectUnauthorized: false });
    const stream = session.request({ ':path': '/few' });
    stream.setEncoding('utf8');
    let second = '';
    for await (const chunk of stream) second += String(chunk);
    assert.equal(second, first);
    assert.match(
      first,
      /^:\n\ndata: plain\n\nevent: lines\nid: 1\ndata: one\ndata: two\ndata: three\ndata: four\ndata: \n\n/,
    );
    const left = session.request({ ':path': '/on/h2' });
    await new Promise((next) => left.once('data', next));
    left.close();
    await until(() => ended.includes('h2'));
    session.close();
  });
});
