import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get as getHttp, type RequestListener } from 'node:http';
import { connect as connectHttp2, constants, createSecureServer } from 'node:http2';
import { get as getHttps } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { createApp, HttpResponse } from 'lookback';
import { attach } from 'lookback/attach';
import { currentRecording, type ProfileRecord } from 'lookback/profiler';
import { until } from '../until.js';
import { tlsFiles } from './http/transports.js';

const ca = readFileSync(tlsFiles.cert);
/** More than fits into the buffers of a connection whose client does not read. */
const large = 'x'.repeat(30_000_000);

interface Way {
  /** Sends a request, and returns a function with which its client leaves. */
  ask(port: number, path: string): Promise<() => void>;
}

const head = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Ways in which a client sends a request and leaves: a close is announced, a reset is not. */
const ways: Readonly<Record<string, Way>> = {
  'HTTP/1.1': {
    async ask(port, path) {
      const socket = connect(port, '127.0.0.1');
      socket.write(head(path));
      return () => void socket.destroy();
    },
  },
  'HTTP/1.1, reset': {
    async ask(port, path) {
      const socket = connect(port, '127.0.0.1');
      socket.write(head(path));
      return () => void socket.resetAndDestroy();
    },
  },
  TLS: {
    async ask(port, path) {
      const socket = connectTls({ port, host: 'localhost', ca, ALPNProtocols: ['http/1.1'] });
      await once(socket, 'secureConnect');
      socket.write(head(path));
      return () => void socket.destroy();
    },
  },
  'TLS, reset': {
    async ask(port, path) {
      const below = connect(port, 'localhost');
      const socket = connectTls({ socket: below, host: 'localhost', ca, ALPNProtocols: ['http/1.1'] });
      socket.on('error', () => undefined);
      await once(socket, 'secureConnect');
      socket.write(head(path));
      return () => void below.resetAndDestroy();
    },
  },
  'HTTP/2': {
    async ask(port, path) {
      const session = connectHttp2(`https://localhost:${port}`, { ca });
      const stream = session.request({ ':path': path });
      stream.on('error', () => undefined).on('close', () => session.close());
      return () => stream.close(constants.NGHTTP2_CANCEL);
    },
  },
  'HTTP/2, the connection': {
    async ask(port, path) {
      const session = connectHttp2(`https://localhost:${port}`, { ca });
      session.on('error', () => undefined);
      session.request({ ':path': path }).on('error', () => undefined);
      return () => session.destroy();
    },
  },
};

/** Tokens and log lines that a test's application has seen. */
class Seen {
  tokens: string[] = [];
  lines: Readonly<Record<string, unknown>>[] = [];

  note(): void {
    this.tokens.push(currentRecording()?.token ?? '');
  }
}

async function readRecord(port: number, isSecure: boolean, token: string): Promise<ProfileRecord> {
  const path = `/_profiler/${token}.json`;
  return until(async () => {
    const asked = isSecure
      ? getHttps({ port, host: 'localhost', path, ca, agent: false })
      : getHttp({ port, host: '127.0.0.1', path, agent: false });
    const [answer] = await once(asked, 'response');
    const page = await text(answer);
    return (
      answer.statusCode === 200 &&
      !page.includes('"state":"unfinished"') &&
      (JSON.parse(page) as ProfileRecord)
    ); // our own JSON
  }, `the record ${token}`);
}

async function leave(way: Way, port: number, path: string, seen: Seen): Promise<string> {
  const before = seen.tokens.length;
  const go = await way.ask(port, path);
  const token = await until(() => seen.tokens.length > before && seen.tokens.at(-1), `${path} to arrive`);
  if (path === '/large') await sleep(100); // no event signals that the connection's buffers are full
  go();
  return token;
}

describe('a client that leaves lookback before its response is complete', { timeout: 120_000 }, () => {
  const seen = new Seen();
  const appOf = (tls: { readonly tls?: typeof tlsFiles }): ReturnType<typeof createApp> => {
    const app = createApp({
      configuration: {
        debug: true,
        profilerStore: 'memory:',
        port: 0,
        host: 'localhost',
        accessLog: 'log',
        ...tls,
      },
      logHandlers: [
        { minLevel: 'info', handle: (record) => void seen.lines.push({ ...Object(record.context) }) },
      ],
    });
    app.get('/wait', async () => {
      seen.note();
      await sleep(150); // longer than the client stays
      return HttpResponse.text('late');
    });
    app.get('/throw', async () => {
      seen.note();
      await sleep(150); // longer than the client stays
      throw new TypeError('late');
    });
    app.get('/large', () => {
      seen.note();
      return HttpResponse.text(large);
    });
    return app;
  };
  const apps = [appOf({}), appOf({ tls: tlsFiles })];
  let ports: number[] = [];
  before(async () => {
    ports = [];
    for (const app of apps) ports.push((await app.listen()).port);
  });
  after(() => Promise.all(apps.map((app) => app.close())));

  for (const [name, way] of Object.entries(ways)) {
    const isSecure = !name.startsWith('HTTP/1.1');
    const recordOf = async (path: string): Promise<ProfileRecord> => {
      const port = ports[isSecure ? 1 : 0] ?? 0;
      return readRecord(port, isSecure, await leave(way, port, path, seen));
    };
    const lineOf = (path: string): unknown[] => {
      const { status, completed, bytes } = seen.lines.findLast(({ target }) => target === path) ?? {};
      return [status, completed, bytes];
    };

    it(`${name}: gets nothing of a late response, according to record and access log`, async () => {
      const { state, response, exception, findings } = await recordOf('/wait');
      assert.deepEqual([state, exception, response?.status, response?.bodyBytes], ['aborted', null, 499, 0]);
      assert.deepEqual(response?.headers, []);
      assert.equal(findings?.[0]?.kind, 'no-response');
      assert.deepEqual(lineOf('/wait'), [499, false, 0]);
    });

    it(`${name}: hides no error that is thrown meanwhile`, async () => {
      const { state, response, exception } = await recordOf('/throw');
      assert.deepEqual([state, exception?.errors[0]?.message], ['aborted', 'late']);
      assert.deepEqual([response?.status, response?.bodyBytes], [500, 0]);
      assert.deepEqual(lineOf('/throw'), [500, false, 0]);
    });

    it(`${name}: has the number of bytes sent of a large response in record and access log`, async () => {
      const { state, response, findings } = await recordOf('/large');
      const { status, bodyBytes = 0 } = response ?? {};
      assert.deepEqual([state, status], ['aborted', 200]);
      assert.ok(bodyBytes > 0 && bodyBytes < large.length, String(bodyBytes));
      assert.equal(findings?.[0]?.kind, 'cut');
      assert.deepEqual(lineOf('/large'), [200, false, bodyBytes]);
    });
  }
});

describe(
  'a client that leaves an attached server before its response is complete',
  { timeout: 120_000 },
  () => {
    const seen = new Seen();
    const listener: RequestListener = (request, response) => {
      if (request.url === '/wait' || request.url === '/large') seen.note();
      response.on('error', () => undefined);
      if (request.url === '/wait') setTimeout(() => response.end('late'), 150);
      else if (request.url === '/large') response.end(large);
      else response.writeHead(404).end();
    };
    const files = { cert: ca, key: readFileSync(tlsFiles.key), allowHTTP1: true };
    const plain = createServer(listener);
    const secure = createSecureServer(files, listener as never); // the listener uses only members that both have
    let ports: number[] = [];
    before(async () => {
      for (const server of [plain, secure]) {
        attach(server, { store: 'memory:' });
        server.listen(0, 'localhost');
        await once(server, 'listening');
      }
      ports = [plain, secure].map((server) => (server.address() as AddressInfo).port); // both listen on ports
    });
    after(() => {
      plain.close().closeAllConnections();
      secure.close();
    });

    for (const [name, way] of Object.entries(ways)) {
      const isSecure = !name.startsWith('HTTP/1.1');
      const recordOf = async (path: string): Promise<ProfileRecord> => {
        const port = ports[isSecure ? 1 : 0] ?? 0;
        return readRecord(port, isSecure, await leave(way, port, path, seen));
      };

      it(`${name}: gets nothing of a late response`, async () => {
        const { state, response, findings } = await recordOf('/wait');
        assert.deepEqual([state, response?.status, response?.bodyBytes], ['aborted', 0, 0]);
        assert.equal(findings?.[0]?.kind, 'no-response');
      });

      it(`${name}: gets part of a large response, and the record claims no more than that`, async () => {
        const { state, response, findings } = await recordOf('/large');
        assert.deepEqual([state, response?.status], ['aborted', 200]);
        assert.equal(findings?.[0]?.text, 'The response was cut off after at most 28.6 MiB');
      });
    }
  },
);
