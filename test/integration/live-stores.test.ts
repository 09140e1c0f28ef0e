import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import { attach } from 'lookback/attach';
import { listenOn } from '../attach/apps/listen.js';
import { ask, connectTo, tlsFiles, type Transport } from './http/transports.js';

/** A page that follows the list over one transport, and the text that it has received. */
class Follower {
  text = '';
  readonly #answer: Awaited<ReturnType<Transport['open']>>;

  private constructor(answer: Awaited<ReturnType<Transport['open']>>) {
    this.#answer = answer;
  }

  static async open(transport: Transport, position: string, lastId?: string): Promise<Follower> {
    const path = `/_profiler/live?position=${encodeURIComponent(position)}`;
    const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
    const answer = await transport.open({ path, headers });
    assert.equal(answer.status, 200);
    return new Follower(answer);
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
  }

  /** Reads until a row for this path has arrived; fails if the stream ends first. */
  async has(path: string): Promise<void> {
    while (this.#count(path) === 0) {
      const { done, value } = await this.#answer.chunks.next();
      assert.ok(done !== true, `ended before ${path}: ${this.text}`);
      this.text += Buffer.from(value).toString();
    }
  }

  #count(path: string): number {
    return this.text.split(`${path}<`).length - 1;
  }

  leave(): void {
    this.#answer.leave();
  }
}

/**
 * Follows the list, disconnects between events, has requests sent meanwhile, resumes after the last event, and fails unless each request
 * arrived exactly once. `say` sends a request to any of the processes.
 */
async function followOverBreaks(transport: Transport, say: (path: string) => Promise<void>): Promise<void> {
  const page = await ask(transport, { path: '/_profiler/' });
  const position = /data-position="([^"]+)"/.exec(page.body)?.[1] ?? assert.fail('the list has no position');
  const said: string[] = [];
  const send = async (path: string): Promise<void> => {
    said.push(path);
    await say(path);
  };
  await send('/say/before');
  let text = '';
  let lastId: string | undefined;
  for (let round = 0; round < 4; round++) {
    const follower = await Follower.open(transport, position, lastId);
    if (round === 0) await follower.has('/say/before');
    await send(`/say/open-${round}`);
    await follower.has(`/say/open-${round}`);
    // More may be on its way when the connection breaks: unread events are requested again.
    await send(`/say/cut-${round}`);
    ({ lastId } = follower);
    text += follower.text;
    follower.leave();
    for (let at = 0; at < 5; at++) await send(`/say/away-${round}-${at}`);
  }
  await send('/say/last');
  const follower = await Follower.open(transport, position, lastId);
  // Each process stores its records independently, so the last request sent is not necessarily the last to arrive.
  for (const path of said) if (!text.includes(`${path}<`)) await follower.has(path);
  text += follower.text;
  follower.leave();
  assert.doesNotMatch(text, /event: gap/);
  const counts = said.map((path) => [path, text.split(`${path}<`).length - 1]);
  assert.deepEqual(
    counts.filter(([, count]) => count !== 1),
    [],
  );
}

describe('the live list of a shared store', () => {
  const stores: Readonly<Record<string, () => Promise<{ address: string; stop: () => Promise<void> }>>> = {
    async SQLite() {
      const folder = mkdtempSync(join(tmpdir(), 'lookback-live-'));
      return {
        address: `sqlite:${join(folder, 'records.db')}`,
        stop: async () => rmSync(folder, { recursive: true }),
      };
    },
  };
  for (const [name, start] of Object.entries(stores))
    it(`${name}: shows the requests of both processes, each once, across disconnections`, async () => {
      const { address, stop } = await start();
      const apps = [1, 2].map(() => {
        const app = createApp({
          configuration: { env: 'test', debug: true, profilerStore: address, host: '127.0.0.1', port: 0 },
          logHandlers: [],
        });
        app.get('/say/{what}', ({ params }) => `said ${params.what}`);
        return app;
      });
      try {
        const urls = await Promise.all(apps.map(async (app) => (await app.listen()).url));
        const transport = connectTo('HTTP/1.1', urls[0] ?? '');
        let turn = 0;
        await followOverBreaks(transport, async (path) => {
          await (await fetch(`${urls[turn++ % 2]}${path}`)).text();
        });
        await transport.close();
      } finally {
        await Promise.all(apps.map((app) => app.close()));
        await stop();
      }
    });
});

describe('the live list of an attached server', () => {
  const tls = { key: readFileSync(tlsFiles.key), cert: readFileSync(tlsFiles.cert) };
  const handler: RequestListener = (request, response) => response.end(`said ${request.url}`);
  const servers = {
    'HTTP/1.1': () => createServer(handler),
    TLS: () => createTlsServer(tls, handler),
    'HTTP/2': () => createSecureServer(tls, (request, response) => response.end(`said ${request.url}`)),
  } as const;
  for (const name of ['HTTP/1.1', 'TLS', 'HTTP/2'] as const)
    it(`${name}: shows each request once, across disconnections`, async () => {
      const server = servers[name]();
      const attached = attach(server, { store: 'memory:' });
      const running = await listenOn(server, () => attached.close());
      const scheme = name === 'HTTP/1.1' ? 'http' : 'https';
      const transport = connectTo(name, `${scheme}://localhost:${running.port}`);
      try {
        await followOverBreaks(transport, async (path) => {
          await ask(transport, { path });
        });
      } finally {
        await transport.close();
        await running.close();
      }
    });
});
