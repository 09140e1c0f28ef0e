import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, createApp, exceptionEvent, HttpResponse, responseEvent, terminateEvent } from 'lookback';
import { local } from '../local-peer.js';

interface Body {
  readonly encoding: string;
  readonly content: string;
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
    const { request } = (await data.json()) as { request: { body: Body } }; // schema of a record's JSON
    return request.body;
  }

  it('a form with an uploaded file keeps neither the password beside it nor its second line', async () => {
    const form = new FormData();
    form.set('name', 'Ada');
    form.set('password', 'c4n4ry-one\r\nc4n4ry-two');
    form.set('file', new Blob([Uint8Array.of(0, 1, 255)]), 'a.bin');
    const body = await record(form);
    assert.equal(body.encoding, 'base64');
    assert.doesNotMatch(bytesOf(body), /c4n4ry/);
    assert.match(bytesOf(body), /\[redacted\]/);
    assert.match(bytesOf(body), /Ada/);
    assert.ok(bytesOf(body).includes('\0\x01\xff'), 'the file is as it was sent');
  });

  it('a part whose name has no quotes is redacted too', async () => {
    const text = '--b\r\nContent-Disposition: form-data; name=password\r\n\r\nc4n4ry\r\n--b--\r\n';
    assert.doesNotMatch(bytesOf(await record(text, 'multipart/form-data; boundary=b')), /c4n4ry/);
  });

  it('secrets that stand readable among bytes are redacted', async () => {
    const bytes = Buffer.concat([Uint8Array.of(0, 255), Buffer.from('token=c4n4ry123')]);
    const body = await record(bytes, 'application/octet-stream');
    assert.equal(body.encoding, 'base64');
    assert.doesNotMatch(bytesOf(body), /c4n4ry/);
  });

  it('the content of XML elements with secret names is redacted', async () => {
    const body = await record('<a><s:password x="1">c4n4ry</s:password><b>kept</b></a>', 'application/xml');
    assert.equal(body.content, '<a><s:password x="1">[redacted]</s:password><b>kept</b></a>');
  });

  it('a text over the limit is said to be cut', async () => {
    const body = await record(`"${'y'.repeat(300_000)}"`, 'application/json');
    assert.equal(body.bytes, 300_002);
    assert.ok(body.content.length < 300_000);
    assert.equal(body.cut, true);
    assert.equal((await record('"short"', 'application/json')).cut, false);
  });
});

describe('P3: response bodies in a record', () => {
  it('a streamed answer is kept as it was sent, also of a request whose response listener failed', async () => {
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
        event.response = HttpResponse.stream(letters('fai', 'led'), { status: 500 });
      },
      { priority: 1000 },
    );
    app.get('/works', () => HttpResponse.stream(letters('wor', 'ked')));
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
      const { response } = (await data.json()) as { response: { body: Body } }; // schema of a record's JSON
      assert.equal(bytesOf(response.body), text);
    }
    await app.close();
  });
});

describe('a sent body of bytes', () => {
  it('is recorded as it was on the wire, whatever a later listener writes into it', async () => {
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
      return ((await data.json()) as { response: { body: Body } }).response.body; // schema of a record's JSON
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
