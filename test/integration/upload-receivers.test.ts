import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';
import { type App, createApp, HttpError } from 'lookback';
import { toNodeHandler } from 'lookback/attach';
import { type IncomingFile, receiveUploads } from 'lookback/web';
import { ask, openTransport, tlsFiles, type Transport, transportNames } from './http/transports.js';

type Receiver = (file: IncomingFile) => unknown;

const enough: Readonly<Record<string, Receiver>> = {
  'breaks out of its loop after the first chunk': async ({ stream }) => {
    for await (const chunk of stream) return chunk.byteLength > 0;
    return false;
  },
  'calls next() once': async ({ stream }) => {
    await stream[Symbol.asyncIterator]().next();
    return true;
  },
  'calls next() once and return()': async ({ stream }) => {
    const reading = stream[Symbol.asyncIterator]();
    await reading.next();
    await reading.return?.();
    return true;
  },
  'reads nothing': () => true,
  'asks for the first chunk and does not wait for it': ({ stream }) => {
    void stream[Symbol.asyncIterator]()
      .next()
      .catch(() => undefined);
    return true;
  },
  'takes the first bytes of a Readable': async ({ stream }) =>
    (await Readable.from(stream).take(1).toArray()).length > 0,
  'reads all': async ({ stream }) => {
    let bytes = 0;
    for await (const { byteLength } of stream) bytes += byteLength;
    return bytes > 0;
  },
};

const failing: Readonly<Record<string, Receiver>> = {
  'throws at once': () => {
    throw new Error('S3 down');
  },
  'rejects before it reads': async () => Promise.reject(new Error('S3 down')),
  'throws at the first chunk': async ({ stream }) => {
    for await (const _chunk of stream) throw new Error('S3 down');
  },
  'throws at the end': async ({ stream }) => {
    for await (const _chunk of stream);
    throw new Error('S3 down');
  },
  'fails in a pipeline': async ({ stream }) =>
    pipeline(
      stream,
      new Writable({ write: (_chunk, _encoding, done) => void setTimeout(done, 5, new Error('S3 down')) }),
    ),
  'fails in a pipeline after a Readable': async ({ stream }) =>
    pipeline(
      Readable.from(stream),
      new Writable({ write: (_chunk, _encoding, done) => done(new Error('S3 down')) }),
    ),
};

function createReceiver(
  receivers: Readonly<Record<string, Receiver>>,
  tls: boolean,
): { app: App; logged: string[] } {
  const logged: string[] = [];
  const app = createApp({
    configuration: { debug: true, env: 'test', profilerStore: 'memory:', ...(tls ? { tls: tlsFiles } : {}) },
    logHandlers: [{ minLevel: 'warning', handle: ({ message }) => void logged.push(message) }],
  });
  for (const [at, to] of Object.values(receivers).entries())
    app.post(`/${at}`, async ({ request }) => {
      const { files, fields } = await receiveUploads(request, { to, maxFiles: 20 });
      return { files: files.map(({ bytes, result }) => [bytes, result]), fields: fields.length };
    });
  return { app, logged };
}

/** A form with a field, `count` files, and another field. */
function formOf(size: number, count = 1): { headers: Record<string, string>; body: string } {
  const head = (name: string): string => `--b\r\nContent-Disposition: form-data; name="${name}"`;
  const one = `${head('f')}; filename="x.bin"\r\n\r\n${'y'.repeat(size)}\r\n`;
  const body = `${head('a')}\r\n\r\n1\r\n${one.repeat(count)}${head('z')}\r\n\r\n2\r\n--b--\r\n`;
  return { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body };
}

async function withTransport(
  name: (typeof transportNames)[number] | 'mounted',
  receivers: Readonly<Record<string, Receiver>>,
  use: (transport: Transport, logged: string[], app: App) => Promise<void>,
): Promise<void> {
  const { app, logged } = createReceiver(receivers, name === 'TLS' || name === 'HTTP/2');
  const server = createServer(toNodeHandler(app));
  let transport: Transport;
  if (name === 'mounted') {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { connectTo } = await import('./http/transports.js');
    transport = connectTo('HTTP/1.1', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } else transport = await openTransport(name, app);
  try {
    await use(transport, logged, app);
  } finally {
    await transport.close();
    server.close();
    await app.close();
  }
}

const sizes = [10, 70_000, 3_000_000];

for (const over of [...transportNames, 'mounted'] as const) {
  describe(`an upload receiver (${over})`, () => {
    it('may stop reading at any time: the form is received completely', () =>
      withTransport(over, enough, async (transport, logged) => {
        for (const [at, how] of Object.keys(enough).entries())
          for (const size of sizes) {
            const answer = await ask(transport, { path: `/${at}`, method: 'POST', ...formOf(size, 2) });
            assert.equal(answer.status, 200, `${how}, ${size} bytes: ${answer.body}`);
            assert.deepEqual(
              JSON.parse(answer.body),
              {
                files: [
                  [size, true],
                  [size, true],
                ],
                fields: 2,
              },
              `${how}, ${size} bytes`,
            );
          }
        assert.deepEqual(logged, []);
      }));

    it('that fails causes a 500 with one line in the log, and the record has its error', () =>
      withTransport(over, failing, async (transport, logged, app) => {
        for (const [at, how] of Object.keys(failing).entries())
          for (const size of over === 'HTTP/2' ? [10, 70_000, 900_000] : sizes) {
            // Node's HTTP/2 client keeps what it could not send, at most 10 MB for all streams.
            logged.length = 0;
            const answer = await ask(transport, { path: `/${at}`, method: 'POST', ...formOf(size) });
            assert.equal(answer.status, 500, `${how}, ${size} bytes: ${answer.body}`);
            assert.equal(logged.length, 1, `${how}, ${size} bytes: ${logged.join('\n')}`);
            assert.match(logged.join(), /S3 down/);
            const token = answer.headers.find(([name]) => name === 'x-debug-token')?.[1];
            const record = await app.fetch(`/_profiler/${token}.md`, { peer: { address: '127.0.0.1' } });
            assert.match(await record.text(), /S3 down/);
          }
      }));
  });
}

describe('an upload receiver', () => {
  it('that throws an HTTP error determines the response; a wrapped form error is still a client error', () => {
    const receivers: Record<string, Receiver> = {
      refuses: async ({ stream }) => {
        for await (const _chunk of stream) throw new HttpError(422, 'This is no snapshot.');
      },
      wraps: async ({ stream }) => {
        try {
          for await (const _chunk of stream);
        } catch (cause) {
          throw new Error('The copy failed.', { cause });
        }
      },
    };
    return withTransport('HTTP/1.1', receivers, async (transport, logged) => {
      const refused = await ask(transport, { path: '/0', method: 'POST', ...formOf(100_000) });
      assert.equal(refused.status, 422);
      const cut = formOf(100_000);
      const broken = { ...cut, body: cut.body.slice(0, 90_000) };
      assert.equal((await ask(transport, { path: '/1', method: 'POST', ...broken })).status, 400);
      const tooBig = formOf(11_000_000);
      assert.equal((await ask(transport, { path: '/1', method: 'POST', ...tooBig })).status, 413);
      assert.deepEqual(
        logged.filter((line) => line.includes('The copy failed')),
        [],
      );
    });
  });

  it('never gets an oversized file as if it were complete', async () => {
    let hasEnded = false;
    const receivers: Record<string, Receiver> = {
      counts: async ({ stream }) => {
        for await (const _chunk of stream);
        hasEnded = true;
      },
    };
    await withTransport('HTTP/1.1', receivers, async (transport) => {
      for (const size of [10_485_761, 11_000_000]) {
        assert.equal((await ask(transport, { path: '/0', method: 'POST', ...formOf(size) })).status, 413);
        assert.equal(hasEnded, false);
      }
    });
  });

  it(
    'that finds the disk full causes a 507 with a line in the log',
    { skip: !existsSync('/dev/full') },
    () => {
      const receivers: Record<string, Receiver> = {
        full: async ({ stream }) => pipeline(stream, createWriteStream('/dev/full')),
        wrapped: async ({ stream }) => {
          try {
            await pipeline(stream, createWriteStream('/dev/full'));
          } catch (cause) {
            throw new Error('The copy failed.', { cause });
          }
        },
      };
      return withTransport('HTTP/1.1', receivers, async (transport, logged) => {
        for (const path of ['/0', '/1']) {
          logged.length = 0;
          assert.equal((await ask(transport, { path, method: 'POST', ...formOf(100_000) })).status, 507);
          assert.match(logged.join(), /no space is left.*507/);
          assert.equal(logged.length, 1);
        }
      });
    },
  );

  it('that takes many small files at once prints no warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const receivers: Record<string, Receiver> = {
      slow: async ({ stream }) => {
        await new Promise((resolve) => setTimeout(resolve, 30)); // the others arrive meanwhile
        for await (const _chunk of stream);
        return true;
      },
    };
    try {
      await withTransport('HTTP/1.1', receivers, async (transport) => {
        const answer = await ask(transport, { path: '/0', method: 'POST', ...formOf(10, 20) });
        assert.equal(answer.status, 200);
      });
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', note);
    }
    assert.deepEqual(warnings, []);
  });
});
