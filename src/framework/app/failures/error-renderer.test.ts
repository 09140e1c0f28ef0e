import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from '../create-app.js';
import { createFoundation } from '../app-foundation.js';
import { createLogDetail } from './thrown-report.js';
import type { App } from '../app.js';
import type { Configuration } from '../configuration/configuration.js';

const local = { peer: { address: '127.0.0.1' } } as const;

function openApp(configuration: Partial<Configuration> = {}): App {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'off', ...configuration },
    logHandlers: [],
  });
  app.get('/articles/{id<\\d+>}', () => 'article', { name: 'article' });
  app.get('/about', () => 'about', { name: 'about' });
  app.post('/only-post', () => 'posted', { name: 'posting' });
  app.get('/fails/{token}', ({ log }) => {
    log.warning('Nearly there', { step: 2, password: 'hunter2' });
    log.info('without data');
    throw new RangeError('too far');
  });
  return app;
}

/** An error page's text. */
async function pageOf(app: App, path: string, init: object = local): Promise<string> {
  const response = await app.fetch(path, { headers: { accept: 'text/html' }, ...init });
  return (await response.text())
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replace(/\s+/g, ' ');
}

describe('the page of an unmatched request', () => {
  it('names the nearly matching routes with the reason, the number of routes tried, and suggestions', async () => {
    const app = openApp();
    const near = await pageOf(app, '/articles/x');
    assert.match(near, /Closest routes 1 /);
    assert.match(near, /article \/articles\/\{id<\\d\+>\} \S/);
    assert.match(near, /The other [34] routes have different paths/);
    const typo = await pageOf(app, '/abuot');
    assert.match(typo, /Did you mean \/about about/);
    assert.match(typo, /The path matches none of [45] routes/);
    assert.doesNotMatch(typo, /Allowed here|Closest routes/);
    await app.close();
  });

  it('names the allowed methods', async () => {
    const app = openApp();
    assert.match(await pageOf(app, '/only-post'), /Allowed here POST /);
    await app.close();
  });

  it('does not mention routes to clients without access to debug output', async () => {
    const app = openApp();
    const page = await pageOf(app, '/abuot', { peer: { address: '203.0.113.9' } });
    assert.doesNotMatch(page, /about|Did you mean|routes/);
    await app.close();
  });
});

describe('the page of an error', () => {
  it("has the request's log with data and times, without secrets from paths and data", async () => {
    for (const profilerStore of ['off', 'memory:'] as const) {
      const app = openApp({ profilerStore });
      const page = await pageOf(app, '/fails/s3cr3t-token');
      assert.match(page, profilerStore === 'off' ? /\d\d:\d\d:\d\d\.\d{3} warning/ : /\d+ ms warning/);
      assert.match(page, /warning app Nearly there data [^]*step[^]*2/);
      assert.match(page, /info app without data (?!data)/);
      assert.doesNotMatch(page, /hunter2|s3cr3t/);
      assert.doesNotMatch(page, /Closest routes|Did you mean|matches none/);
      assert.equal(
        /\/_profiler\//.test(await (await app.fetch('/fails/x', local)).text()),
        profilerStore === 'memory:',
      );
      await app.close();
    }
  });

  it('says how many log lines were omitted', async () => {
    const app = openApp();
    app.get('/talks', ({ log }) => {
      for (let line = 0; line < 503; line++) log.info(`line ${line}`);
      throw new Error('enough');
    });
    assert.match(await pageOf(app, '/talks'), /more entries omitted/);
    await app.close();
  });
});

describe('the page of a failure', () => {
  it('says how often the error occurred, and what differed when the route worked', async () => {
    const app = openApp({ profilerStore: 'memory:' });
    app.get('/half/{n}', ({ params }) => {
      if (params.n === '0') throw new RangeError('nothing to halve');
      return 'halved';
    });
    await pageOf(app, '/half/4');
    await pageOf(app, '/half/0');
    await app.profiler?.flush();
    const page = await pageOf(app, '/half/0');
    assert.match(
      page,
      /This error 2 times, first just now When the route worked GET \/half\/4 → 200, just now/,
    );
    assert.match(page, /What is different n: &quot;4&quot; → &quot;0&quot; compare both/);
    assert.doesNotMatch(await pageOf(app, '/abuot'), /This error/);
    await app.close();
  });
});

describe("a log line's details", () => {
  it('contain the error in its data, from the level error on', () => {
    const foundation = createFoundation({ configuration: { env: 'test', profilerStore: 'off' } });
    const detail = createLogDetail(foundation.flatten);
    const line = (level: 'warning' | 'error' | 'critical', context?: unknown): string | undefined =>
      detail({ level, context, channel: 'app', message: 'x', time: 0 });
    const error = new RangeError('too far', { cause: new Error('no map') });
    for (const level of ['error', 'critical'] as const) {
      const text = line(level, { error }) ?? '';
      assert.match(text, /RangeError/);
      assert.match(text, /too far/);
      assert.match(text, /no map/);
      assert.match(text, /error-renderer\.test/);
    }
    for (const nothing of [
      line('warning', { error }),
      line('error'),
      line('error', null),
      line('error', 'x'),
      line('error', { other: error }),
    ])
      assert.equal(nothing, undefined);
  });
});

describe('an error outside debug', () => {
  it('is logged once, and the client gets only the problem in the format it accepts', async () => {
    const lines: string[] = [];
    const app = createApp({
      configuration: { env: 'test', debug: false, profilerStore: 'off' },
      logHandlers: [{ minLevel: 'error', handle: ({ message }) => void lines.push(message) }],
    });
    app.get('/', () => {
      throw new Error('no');
    });
    const answer = await app.fetch('/', { headers: { accept: 'application/json' } });
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [500, 'application/problem+json']);
    assert.deepEqual(await answer.json(), {
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
    });
    assert.deepEqual(lines, ['Uncaught Error: no (GET / 500)']);
    for (const type of ['text/html', 'text/plain']) {
      const other = await app.fetch('/', { headers: { accept: type } });
      assert.equal(other.headers.get('content-type'), `${type}; charset=utf-8`);
      const text = await other.text();
      assert.match(text, /500/);
      assert.doesNotMatch(text, /Error: no|error-renderer/);
    }
    await app.close();
  });
});
