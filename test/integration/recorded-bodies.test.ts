import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, createApp, exceptionEvent, HttpResponse, responseEvent, terminateEvent } from 'lookback';
import { local } from '../local-peer.js';

interface Body {
  readonly encoding: string;
  readonly content: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly cut: boolean;
}

function bytesOf({ content, encoding }: Body): string {
  return Buffer.from(content, encoding === 'text' ? 'utf8' : 'base64').toString('latin1');
}

describe('P3: request bodies in a record', () => {
  let app: App;
  before(() => {
    app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
    });
    app.post('/take', async ({ request }) => String((await request.bytes()).byteLength));
  });
  after(() => app.close());

  async function record(body: NonNullable<RequestInit['body']>, contentType?: string): Promise<Body> {
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    const answer = await app.fetch(
      new Request('http://localhost/take', { method: 'POST', body, headers }),
      local,
    );
    const token = answer.headers.get('x-debug-token') ?? '';
    const data = await app.fetch(`http://localhost/_profiler/${token}.json`, local);
    const { request } = (await data.json()) as { request: { body: Body } }; // the schema of a record's JSON
    return request.body;
  }

  it('have a type and a size but no content, for an upload, HTML, XML and bytes', async () => {
    const form = new FormData();
    form.set('name', 'Ada');
    form.set('password', 'c4n4ry');
    form.set('file', new Blob([Uint8Array.of(0, 1, 255)]), 'a.bin');
    const bodies: readonly (readonly [NonNullable<RequestInit['body']>, string?])[] = [
      [form],
      ['<form><input value="c4n4ry" name="_csrf"></form>', 'text/html; charset=utf-8'],
      ['<a><password>c4n4ry</password></a>', 'application/xml'],
      ['<a><password>c4n4ry</password></a>', 'application/soap+xml'],
      ['<svg><text>c4n4ry</text></svg>', 'image/svg+xml'],
      [Buffer.concat([Uint8Array.of(0, 255), Buffer.from('token=c4n4ry')]), 'application/octet-stream'],
      // Types that contradict the content.
      [' <a><password>c4n4ry</password></a>', 'text/plain'],
      ['<a><password>c4n4ry</password></a>', 'application/json'],
      ['--x1\r\nContent-Disposition: form-data; name=password\r\n\r\nc4n4ry\r\n--x1--', 'text/plain'],
      [Buffer.concat([Uint8Array.of(0, 255), Buffer.from('token=c4n4ry')]), 'text/plain'],
    ];
    for (const [sent, type] of bodies) {
      const { content, bytes, cut, contentType } = await record(sent, type);
      assert.deepEqual([content, cut], ['', true], type);
      assert.ok(bytes > 10 && contentType.includes('/'), type);
    }
  });

  it('are recorded without their secrets, for JSON, forms and text', async () => {
    const sent = [
      ['{"user":"ada","password":"c4n4ry"}', 'application/vnd.api+json'],
      ['user=ada&password=c4n4ry', 'application/x-www-form-urlencoded'],
      ['user: ada\npassword: c4n4ry', 'text/plain'],
      ['---\nuser: ada\npassword: c4n4ry', 'application/yaml'],
      ['query { user(name: "ada", password: "c4n4ry") }', 'application/graphql'],
      ['{"user":"ada","password":"c4n4ry"}', undefined],
    ] as const;
    for (const [text, type] of sent) {
      const { content } = await record(text, type);
      assert.match(content, /ada/, type);
      assert.doesNotMatch(content, /c4n4ry/, type);
    }
  });

  it('are recorded for the types that the application lists, and redacted as text', async () => {
    const other = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
      profiler: { bodyTypes: ['text/html', 'image/*'] },
    });
    other.get(
      '/html',
      () => new Response('<p>token=c4n4ry </p>', { headers: { 'content-type': 'text/html' } }),
    );
    other.get(
      '/png',
      () => new Response(Uint8Array.of(137, 80, 0), { headers: { 'content-type': 'image/png' } }),
    );
    other.post('/take', async ({ request }) => String((await request.bytes()).byteLength));
    const kept = [];
    for (const [sent, type] of [
      ['<p>token=c4n4ry </p>', 'text/html'],
      [Uint8Array.of(137, 80, 0), 'image/png'],
    ] as const) {
      const init = { method: 'POST', body: sent, headers: { 'content-type': type } };
      const answer = await other.fetch('http://localhost/take', { ...init, ...local });
      await answer.text();
      const page = `http://localhost/_profiler/${answer.headers.get('x-debug-token')}.json`;
      const data = (await (await other.fetch(page, local)).json()) as { request: { body: Body } }; // the schema of a record's JSON
      kept.push(data.request.body.content);
    }
    assert.deepEqual(kept.splice(0), ['<p>token=[redacted] </p>', 'iVAA']);
    for (const path of ['/html', '/png']) {
      const answer = await other.fetch(`http://localhost${path}`, local);
      await answer.arrayBuffer();
      const page = `http://localhost/_profiler/${answer.headers.get('x-debug-token')}.json`;
      const data = (await (await other.fetch(page, local)).json()) as { response: { body: Body } }; // the schema of a record's JSON
      kept.push(data.response.body.content);
    }
    await other.close();
    assert.deepEqual(kept, ['<p>token=[redacted] </p>', 'iVAA']);
  });

  it('are marked as cut if they exceed the limit', async () => {
    const body = await record(`"${'y'.repeat(300_000)}"`, 'application/json');
    assert.equal(body.bytes, 300_002);
    assert.ok(body.content.length < 300_000);
    assert.equal(body.cut, true);
    assert.equal((await record('"short"', 'application/json')).cut, false);
  });
});

describe('P3: response bodies in a record', () => {
  it("a streamed response is recorded as it was sent, even if the request's response listener failed", async () => {
    const plainText = { 'Content-Type': 'text/plain' };
    let failures = 0;
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
    });
    app.on(responseEvent, ({ request }) => {
      if (request.path === '/fails' && failures++ === 0) throw new Error('a listener that fails once');
    });
    app.on(
      exceptionEvent,
      (event) => {
        event.response = HttpResponse.stream(letters('fai', 'led'), { status: 500, headers: plainText });
      },
      { priority: 1000 },
    );
    app.get('/works', () => HttpResponse.stream(letters('wor', 'ked'), { headers: plainText }));
    app.get('/fails', () => 'never seen');
    for (const [path, text] of [
      ['/works', 'worked'],
      ['/fails', 'failed'],
    ]) {
      const answer = await app.fetch(`http://localhost${path}`, local);
      assert.equal(await answer.text(), text);
      const data = await app.fetch(
        `http://localhost/_profiler/${answer.headers.get('x-debug-token')}.json`,
        local,
      );
      const { response } = (await data.json()) as { response: { body: Body } }; // the schema of a record's JSON
      assert.equal(bytesOf(response.body), text);
    }
    await app.close();
  });
});

describe('a response body of bytes', () => {
  it('is recorded as it was on the wire, even if a later listener overwrites it', async () => {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:', port: 0, host: '127.0.0.1' },
      logHandlers: [],
    });
    app.on(terminateEvent, ({ response: { body } }) => {
      if (body instanceof Uint8Array) body.fill(120);
    });
    app.get('/bytes', () => {
      return new HttpResponse(Uint8Array.from(Buffer.from('as sent')), {
        headers: { 'Content-Type': 'text/plain' },
      });
    });
    const { url } = await app.listen();
    const recorded = async (token: string | null): Promise<Body> => {
      const data = await app.fetch(`http://localhost/_profiler/${token ?? ''}.json`, local);
      return ((await data.json()) as { response: { body: Body } }).response.body; // the schema of a record's JSON
    };
    for (const answer of [await fetch(`${url}/bytes`), await app.fetch('http://localhost/bytes', local)]) {
      assert.equal(await answer.text(), 'as sent');
      const body = await recorded(answer.headers.get('x-debug-token'));
      assert.deepEqual([body.content, body.bytes, body.cut], ['as sent', 7, false]);
    }
    await app.close();
  });
});

async function* letters(...texts: string[]): AsyncGenerator<string> {
  for (const text of texts) yield text;
}
