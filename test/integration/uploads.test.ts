import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { App, RunningServer } from 'lookback';
import { createApp, HttpResponse } from 'lookback';
import { receiveUploads } from 'lookback/web';
import { z } from 'zod';
import { until } from '../until.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-uploads-'));
const errors: string[] = [];

function createReceiver(tls = false): App {
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
    logHandlers: [{ minLevel: 'error', handle: ({ message }) => errors.push(message) }],
  });
  app.post('/disk', async ({ request }) => {
    const { files, fields } = await receiveUploads(request, {
      to: folder,
      maxFileBytes: 3_000_000,
      maxFiles: 2,
      types: ['text/plain', 'image/*'],
    });
    return { files, fields };
  });
  app.post('/hash', async ({ request }) => {
    const { files } = await receiveUploads(request, {
      maxFileBytes: 3_000_000,
      to: async ({ stream }) => {
        const hash = createHash('sha256');
        for await (const chunk of stream) hash.update(chunk);
        return hash.digest('hex');
      },
    });
    return files;
  });
  app.post(
    '/ignored',
    async ({ request }) => (await receiveUploads(request, { to: () => 'not read' })).files,
  );
  app.post('/broken', async ({ request }) => {
    await receiveUploads(request, {
      to: () => {
        throw new Error('The disk is full.');
      },
    });
    return 'x';
  });
  app.post('/checked', async ({ request }) => {
    const { data } = await receiveUploads(request, {
      to: folder,
      schema: z.object({ width: z.coerce.number() }),
    });
    return { next: data.width + 1 };
  });
  app.post('/unwanted', async ({ request }) => {
    const uploads = await receiveUploads(request, { to: folder });
    await uploads.discard();
    return HttpResponse.empty();
  });
  return app;
}

type Received = {
  files: { filename: string; field: string; bytes: number; path: string }[];
  fields: string[][];
};

const kept = (): string[] => readdirSync(folder);
const file = (text: string | Uint8Array<ArrayBuffer>, type = 'text/plain'): Blob =>
  new Blob([text], { type });
function form(...parts: readonly (readonly [string, string | Blob, string?])[]): FormData {
  const data = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, filename);
  }
  return data;
}

describe('uploads', () => {
  const app = createReceiver();
  let server: RunningServer;
  before(async () => {
    server = await app.listen();
  });
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const post = (path: string, body: BodyInit, init: RequestInit = {}): Promise<Response> =>
    fetch(server.url + path, { method: 'POST', body, ...init });
  const empty = (): void => kept().forEach((name) => rmSync(join(folder, name)));

  it('have fields that a schema checks; the files of a refused form are removed', async () => {
    const checked = await post('/checked', form(['width', '41'], ['photo', file('x'), 'x.txt']));
    assert.deepEqual(await checked.json(), { next: 42 });
    empty();
    const refused = await post('/checked', form(['width', 'wide'], ['photo', file('x'), 'x.txt']));
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /width/);
    assert.deepEqual(kept(), []);
  });

  it('are written unchanged under generated names, even if larger than the body limit', async () => {
    const big = new Uint8Array(2_500_000).map((_, index) => index % 251);
    const body = form(
      ['title', 'A'],
      ['one', file(big, 'image/png'), '../../etc/passwd'],
      ['two', file('hello'), 'C:\\temp\\b.txt'],
      ['title', 'é'],
    );
    for (const ask of [
      (data: FormData) => post('/disk', data),
      (data: FormData) => app.fetch('/disk', { method: 'POST', body: data }),
    ]) {
      const response = await ask(body);
      assert.equal(response.status, 200);
      const { files, fields } = (await response.json()) as Received;
      assert.deepEqual(fields, [
        ['title', 'A'],
        ['title', 'é'],
      ]);
      assert.deepEqual(
        files.map(({ field, filename, bytes }) => [field, filename, bytes]),
        [
          ['one', 'passwd', 2_500_000],
          ['two', 'b.txt', 5],
        ],
      );
      assert.deepEqual(new Uint8Array(readFileSync(files[0]?.path ?? '')), big);
      for (const { path } of files) assert.match(path.slice(folder.length), /^[\\/][0-9a-f-]{36}$/);
      assert.equal(kept().length, 2);
      empty();
    }
  });

  it('receiveUploads: an unreadable part is a 400, and no file stays', async () => {
    const head = 'Content-Disposition: form-data';
    const whole = `--b\r\n${head}; name="one"; filename="a.txt"\r\n\r\nkept?\r\n`;
    const bodies = {
      'blanks after the boundary': `--b \t\r\n${head}; name="a"\r\n\r\n1\r\n`,
      'no disposition': '--b\r\nX-A: 1\r\n\r\n1\r\n',
      'no name': `--b\r\n${head}\r\n\r\n1\r\n`,
      'a file without a name': `--b\r\n${head}; filename="f.txt"\r\n\r\n1\r\n`,
      'NUL in a file name': `--b\r\n${head}; name="f"; filename="a\0b.png"\r\n\r\n1\r\n`,
      '30 header fields': `--b\r\n${'X-A: 1\r\n'.repeat(30)}${head}; name="a"\r\n\r\n1\r\n`,
    };
    for (const [what, part] of Object.entries(bodies)) {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
      const response = await post('/disk', `${whole}${part}--b--\r\n`, { headers });
      assert.equal(response.status, 400, what);
      await until(() => kept().length === 0);
    }
  });

  it('are passed to a function as they arrive, for two requests at once', async () => {
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    const texts = ['a'.repeat(1_500_000), 'b'.repeat(1_500_000)];
    const answers = await Promise.all(texts.map((text) => post('/hash', form(['f', file(text), 'x']))));
    const results = await Promise.all(
      answers.map((answer) => answer.json() as Promise<{ result: string }[]>),
    );
    assert.deepEqual(
      results.map(([one]) => one?.result),
      texts.map(hash),
    );
    const ignored = (await (
      await post('/ignored', form(['f', file('x'.repeat(500_000)), 'x']))
    ).json()) as unknown[];
    assert.equal(ignored.length, 1);
  });

  it('an empty file field is omitted, whatever types are allowed, and a function is not called for it', async () => {
    const octets = 'application/octet-stream'; // as browsers send it
    for (const type of ['text/plain', octets]) {
      const body = form(['f', file('', type), ''], ['g', file('x'), 'g.txt']);
      const { files } = (await (await post('/disk', body)).json()) as Received;
      assert.deepEqual(
        files.map(({ field }) => field),
        ['g'],
        type,
      );
      assert.equal(kept().length, 1);
      empty();
    }
    const hashed = await post('/hash', form(['f', file('', octets), '']));
    assert.deepEqual(await hashed.json(), []);
    const filled = await post('/disk', form(['f', file('x', octets), '']));
    assert.equal(filled.status, 415);
    assert.deepEqual(kept(), []);
  });

  it('an empty file field may arrive byte by byte, and may be cut off', async () => {
    const head = `--b\r\nContent-Disposition: form-data; name="f"; filename=""\r\n\r\n`;
    const send = (text: string): Promise<Response> => {
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          for (const one of Buffer.from(text)) {
            controller.enqueue(Uint8Array.of(one));
            await new Promise((resolve) => setImmediate(resolve));
          }
          controller.close();
        },
      });
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
      return fetch(`${server.url}/disk`, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
    };
    const whole = await send(`${head}\r\n--b--\r\n`);
    assert.deepEqual(((await whole.json()) as Received).files, []);
    assert.equal((await send(head)).status, 400);
    assert.deepEqual(kept(), []);
  });

  it('over the limits are refused, and no file stays', async () => {
    const text = file('x');
    const cases: [FormData, number, RegExp][] = [
      [
        form(['f', file(new Uint8Array(3_000_001), 'image/png'), 'x']),
        413,
        /more than 3000000 bytes in the field "f"/,
      ],
      [form(['a', text, 'x'], ['b', text, 'x'], ['c', text, 'x']), 413, /more than 2 files/],
      [
        form(
          ['a', text, 'x'],
          ...Array.from({ length: 101 }, (_, at): [string, string] => ['x', String(at)]),
        ),
        413,
        /more than 100 fields/,
      ],
      [form(['a', text, 'x'], ['x', 'y'.repeat(65_537)]), 413, /more than 65536 bytes in the field "x"/],
      [form(['a', text, 'x'], ['b', file('x', 'application/pdf'), 'x']), 415, /application\/pdf/],
    ];
    for (const [body, status, message] of cases) {
      const response = await app.fetch('/disk', { method: 'POST', body });
      const problem = (await response.json()) as { detail: string };
      assert.deepEqual([response.status, message.test(problem.detail)], [status, true], problem.detail);
      assert.deepEqual(kept(), []);
    }
  });

  it('that are not forms, or broken ones, are answered with 415 and 400', async () => {
    const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const head =
      '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\nContent-Type: text/plain\r\n\r\n';
    for (const [body, headers, status] of [
      ['{}', { 'Content-Type': 'application/json' }, 415],
      ['', { 'Content-Type': 'multipart/form-data' }, 400],
      [`${head}x\r\n--x--\r\n`, { ...type, 'Content-Encoding': 'gzip' }, 415],
      [`${head}cut off`, type, 400],
      ['nothing of a form', type, 400],
      [`${head}x\r\n--x--\r\n`, type, 200],
    ] as const) {
      const response = await post('/disk', body, { headers });
      assert.equal(response.status, status, `${body} ${JSON.stringify(headers)}: ${await response.text()}`);
      if (status !== 200) assert.deepEqual(kept(), []);
    }
    empty();
  });

  it('leave no file behind if the function fails, the application rejects them, or the client disconnects', async () => {
    errors.length = 0;
    assert.equal((await post('/broken', form(['f', file('x'.repeat(200_000)), 'x']))).status, 500);
    assert.equal((await post('/unwanted', form(['f', file('x'), 'x']))).status, 204);
    assert.deepEqual(kept(), []);
    errors.length = 0;
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'POST /disk HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 90000\r\n\r\n' +
        '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\nContent-Type: text/plain\r\n\r\nhalf of it',
    );
    await until(() => kept().length === 1);
    socket.destroy();
    await until(() => kept().length === 0);
  });
});

describe('uploads over TLS', () => {
  it('files sent over HTTP/2 are received completely', async () => {
    const app = createReceiver(true);
    const { url } = await app.listen();
    const session = connectHttp2(url, { rejectUnauthorized: false });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/hash',
      'content-type': 'multipart/form-data; boundary=x',
    });
    stream.write('--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n');
    stream.write('y'.repeat(1_200_000));
    stream.end('\r\n--x--\r\n');
    stream.setEncoding('utf8');
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    const [received] = JSON.parse(text) as { bytes: number; result: string }[];
    assert.equal(received?.bytes, 1_200_000);
    assert.equal(received?.result, createHash('sha256').update('y'.repeat(1_200_000)).digest('hex'));
    session.close();
    await app.close();
  });
});
