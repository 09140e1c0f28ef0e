import assert from 'node:assert/strict';
import { createServer, get } from 'node:http';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import { attach } from 'lookback/attach';
import { type SampleOptions, signSample } from 'lookback/profiler';
import { listenOn } from '../attach/apps/listen.js';

const secret = 'a secret of at least thirty-two characters';

interface Subject {
  readonly port: number;
  close(): Promise<unknown>;
}

/** The same three responses from our own kernel and from an attached Node server. */
const subjects: Record<string, (sample: SampleOptions) => Promise<Subject>> = {
  async 'our own kernel'(sample) {
    const app = createApp({
      configuration: { port: 0, profilerStore: 'memory:', debug: true },
      logHandlers: [],
      profiler: { sample },
    });
    app.get('/fine', () => 'fine');
    app.get('/broken', () => {
      throw new Error('broken');
    });
    const { url } = await app.listen();
    return { port: Number(new URL(url).port), close: () => app.close() };
  },
  async 'a server that is attached'(sample) {
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/broken' ? 500 : request.url === '/fine' ? 200 : 404;
      response.end('said');
    });
    const attached = attach(server, { store: 'memory:', sample });
    return listenOn(server, () => attached.close());
  },
};

async function fetchPath(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ token: string | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    get({ port, path, headers: { host: 'localhost', ...headers }, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve({ token: response.headers['x-debug-token']?.toString(), text }));
    }).on('error', reject);
  });
}

for (const [name, start] of Object.entries(subjects))
  describe(`sampling by ${name}`, () => {
    const recorded = async (port: number): Promise<string[]> => {
      const { text } = await fetchPath(port, '/_profiler/latest.json');
      const { request } = JSON.parse(text) as { request?: { target: string } }; // our own record or problem document
      return request === undefined ? [] : [request.target];
    };

    it('with a share of 0, keeps only failures, and sends no tokens for records that will never exist', async () => {
      const subject = await start({ rate: 0, slowMs: false }); // on a busy machine any request may be slow
      try {
        assert.equal((await fetchPath(subject.port, '/fine')).token, undefined);
        assert.equal((await fetchPath(subject.port, '/missing')).token, undefined);
        assert.deepEqual(await recorded(subject.port), []);
        await fetchPath(subject.port, '/broken');
        await fetchPath(subject.port, '/fine');
        assert.deepEqual(await recorded(subject.port), ['/broken']);
      } finally {
        await subject.close();
      }
    });

    it('keeps requests with a signed header', async () => {
      const subject = await start({ rate: 0, errors: false, slowMs: false, secret });
      try {
        await fetchPath(subject.port, '/broken');
        assert.deepEqual(await recorded(subject.port), []);
        const { token } = await fetchPath(subject.port, '/fine', { 'X-Lookback-Sample': signSample(secret) });
        assert.match(token ?? '', /^[0-9a-f]{6,}$/);
        assert.deepEqual(await recorded(subject.port), ['/fine']);
      } finally {
        await subject.close();
      }
    });
  });
