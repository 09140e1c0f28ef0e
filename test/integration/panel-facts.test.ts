import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type App, createApp, type Extension, HttpRequest } from 'lookback';
import { html } from 'lookback/html';
import { createProfiler, type ProfileRecord } from 'lookback/profiler';
import { cors } from 'lookback/web';
import type { ViewSection } from '../../src/profiler/sections/templates/section.js';
import { local } from '../local-peer.js';
import { until } from '../until.js';

const secret = ['hunter', '22'].join(''); // in two parts, as the error page shows this file
const unsaid = new RegExp(secret);
const configuration = { env: 'test', debug: true, profilerStore: 'memory:' } as const;

async function withApp(
  work: (app: App) => Promise<void>,
  options: { readonly extensions?: readonly Extension[] } = {},
): Promise<void> {
  const app = createApp({ configuration, logHandlers: [], ...options });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

async function recorded(app: App, target: string, init: RequestInit = {}): Promise<ProfileRecord> {
  const answer = await app.fetch(target, { ...local, ...init });
  await answer.text();
  const found = await app.profiler?.find(answer.headers.get('x-debug-token') ?? '');
  assert.ok(found?.kind === 'found');
  return found.record;
}

const pageOf = async (app: App, { token }: ProfileRecord, rest: string): Promise<string> =>
  (await app.fetch(`/_profiler/${token}${rest}`, local)).text();

describe('the configuration of a record', () => {
  it('has versions of lookback and ICU, the time zone, and all extensions, also those that were added later', async () => {
    await withApp(
      async (app) => {
        app.get('/', () => 'x');
        const { config } = await recorded(app, '/');
        assert.match(String(config['lookback']), /^\d+\.\d+\.\d+/);
        assert.equal(config['ICU'], process.versions['icu']);
        assert.equal(config['time zone'], Intl.DateTimeFormat().resolvedOptions().timeZone);
        assert.equal(config['extensions'], 'locale, security, cors');
        app.use({ name: 'own' });
        const later = await recorded(app, '/');
        assert.equal(later.config['extensions'], 'locale, security, cors, own');
        for (const rest of ['?panel=config', '.md?panel=config']) {
          const page = await pageOf(app, later, rest);
          for (const text of ['lookback', 'time zone', 'ICU', 'locale, security, cors, own'])
            assert.ok(page.includes(text), `${rest}: ${text}`);
        }
      },
      { extensions: [cors({ origins: ['https://a.example'] })] },
    );
  });

  it('changes for the records that a thread writes from then on, and no more after the end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'described-'));
    const profiler = createProfiler({ store: `sqlite:${join(folder, 'records.db')}`, config: { mode: 'a' } });
    try {
      const configOf = async (): Promise<ProfileRecord['config']> => {
        const source = { method: 'GET', target: '/', rawHeaders: ['Host', 'a'], httpVersion: '1.1' } as const;
        const request = new HttpRequest({
          ...source,
          peer: { address: '127.0.0.1', port: 1, encrypted: false },
        });
        const recording = profiler.begin(request);
        profiler.finish(recording, undefined, { status: 200, headers: [], bodyBytes: 0, completed: true });
        const found = await profiler.find(recording.token);
        assert.ok(found.kind === 'found');
        return found.record.config;
      };
      const before = await configOf();
      profiler.describe({ extensions: 'own' });
      const after = await configOf();
      assert.deepEqual([before['mode'], before['extensions']], ['a', undefined]);
      assert.deepEqual(
        [after['mode'], after['extensions'], after['instance']],
        ['a', 'own', before['instance']],
      );
    } finally {
      await profiler.close();
      profiler.describe({ late: true });
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the log of a record', () => {
  it('has messages with their values filled in, without secrets, before and after the response, on the page too', async () => {
    await withApp(async (app) => {
      app.get('/', ({ log }) => {
        log.info('{who} has {count} items', { who: 'ada', count: 3 });
        log.warning('{who} signed in with {password}', {
          who: 'ada',
          password: secret,
          error: new Error('x'),
        });
        log.info('{nothing} here', {});
        setTimeout(() => log.warning('{who} is late', { who: 'bob' }), 0);
        throw new Error('broken');
      });
      const page = await (await app.fetch('/', { ...local, headers: { Accept: 'text/html' } })).text();
      assert.match(page, /ada has 3 items/);
      assert.doesNotMatch(page, unsaid);
      const record = await recorded(app, '/');
      const messages = record.logs.map(({ message }) => message);
      for (const text of ['ada has 3 items', 'ada signed in with [redacted]', '{nothing} here'])
        assert.ok(messages.includes(text), text);
      assert.doesNotMatch(JSON.stringify(record), unsaid);
      await until(async () => {
        const found = await app.profiler?.find(record.token);
        return found?.kind === 'found' && found.record.logs.at(-1)?.message === 'bob is late';
      });
    });
  });

  it('has messages of other loggers as they were written', async () => {
    await withApp(async (app) => {
      app.get('/', () => {
        console.warn('GET /users/{id}', { id: 7 });
        return 'x';
      });
      const { logs } = await recorded(app, '/');
      assert.equal(logs.at(-1)?.message, 'GET /users/{id}');
    });
  });
});

const viewOf = ({ sections }: ProfileRecord): ViewSection | undefined =>
  sections['view'] as ViewSection | undefined; // of its collector

describe('the templates of a record', () => {
  it('are those of the html tag with place, uses and size, inner ones too, but not those of our own pages', async () => {
    await withApp(async (app) => {
      const row = (name: string): unknown => html`<li>${name}</li>`;
      app.get('/', function page() {
        return html`<ul>
          ${['a', 'b', 'c'].map((name) => html`<li>${name}</li>`)}
        </ul>`;
      });
      app.get('/string', function asText() {
        return String(row('x'));
      });
      app.get('/fails', () => {
        throw new Error('x');
      });
      const record = await recorded(app, '/');
      const { templates = [], renders } = viewOf(record) ?? assert.fail();
      assert.deepEqual(
        templates.map(({ name, count, length }) => [name, count, length > 9]),
        [
          ['', 3, true],
          ['page', 1, true],
        ],
      );
      for (const { file, line } of templates) {
        assert.match(file, /panel-facts\.test/);
        assert.ok(line > 0);
      }
      assert.deepEqual(renders, []);
      assert.equal(viewOf(await recorded(app, '/'))?.templates?.length, 2, 'again');
      assert.equal(viewOf(await recorded(app, '/string'))?.templates?.[0]?.name, 'row');
      const failed = await recorded(app, '/fails', { headers: { Accept: 'text/html' } });
      assert.deepEqual(viewOf(failed)?.templates ?? [], []);
      for (const rest of ['?panel=view', '.md?panel=view'])
        assert.match(await pageOf(app, record, rest), /panel-facts\.test\.[jt]s:\d+/);
    });
  });

  it('of a page with many are bounded, and the rest is counted', async () => {
    await withApp(async (app) => {
      // A template of its own for each, as its strings differ.
      const makers = Array.from({ length: 120 }, (_, at) => Object.assign([`<p>${at}</p>`], { raw: [''] }));
      app.get('/', () => makers.map((strings) => String(html(strings))).join(''));
      const { templates = [], moreTemplates } = viewOf(await recorded(app, '/')) ?? assert.fail();
      assert.deepEqual([templates.length, moreTemplates], [100, 20]);
    });
  });
});
