import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpResponse } from '#core/http';
import type { LogRecord } from '#core/log';
import type { AppOptions } from '../app-options.js';
import type { App } from '../app.js';
import { createApp } from '../create-app.js';

function openApp(options: Partial<AppOptions> = {}): { app: App; logged: LogRecord[] } {
  const logged: LogRecord[] = [];
  const app = createApp({
    logHandlers: [{ handle: (record) => void logged.push(record) }],
    ...options,
    configuration: {
      env: 'test',
      debug: false,
      profilerStore: 'off',
      trustedHosts: ['*'],
      port: 0,
      ...options.configuration,
    },
  });
  return { app, logged };
}

const messages = (logged: readonly LogRecord[], channel: string): string[] =>
  logged.filter((record) => record.channel === channel).map(({ level, message }) => `${level} ${message}`);

describe('an application that listens', () => {
  it('listens only once at a time, on the given port', async () => {
    const { app } = openApp();
    const running = await app.listen({ port: 0 });
    assert.equal(running.url, `http://127.0.0.1:${running.port}`);
    await assert.rejects(app.listen(), {
      code: 'FRAMEWORK_LISTENING_TWICE',
      message: new RegExp(running.url),
    });
    await running.close();
    const again = await app.listen({ host: 'localhost' });
    assert.match(again.url, /^http:\/\/localhost:\d+$/);
    await app.close();
    await assert.rejects(fetch(again.url));
  });

  it('warns if any client can choose its host, and in debug about routes that never match', async () => {
    const [trusting, strict] = [openApp({ configuration: { trustedHosts: [], env: 'prod' } }), openApp()];
    for (const { app } of [trusting, strict]) {
      app.get('/{any}', () => 'x').get('/late', () => 'x');
      await app.listen();
      await app.close();
    }
    assert.match(messages(trusting.logged, 'server').join(), /^warning TRUSTED_HOSTS is empty, /);
    assert.deepEqual(messages(strict.logged, 'server'), []);
    assert.deepEqual(messages(strict.logged, 'router'), []);
    const { app, logged } = openApp({ configuration: { debug: true } });
    app.get('/{any}', () => 'x').get('/late', () => 'x');
    await app.listen();
    await app.close();
    assert.match(messages(logged, 'router').join(), /warning Route .*\/late.* never matches/);
  });

  it("logs failures after a response, under the request's id", async () => {
    const { app, logged } = openApp();
    app.get('/', () =>
      HttpResponse.stream(
        (async function* () {
          yield 'some';
          throw new RangeError('disk');
        })(),
      ),
    );
    const { url } = await app.listen();
    const answer = await fetch(url);
    await assert.rejects(answer.text());
    await app.close();
    const line = logged.find(({ channel }) => channel === 'server');
    assert.equal(
      `${line?.level} ${line?.message}`,
      'error An error was shown to no client: RangeError: disk',
    );
    assert.equal(line?.requestId, answer.headers.get('x-request-id'));
  });
});

describe('an application that is closed', () => {
  it('closes all of its parts, in reverse order, even if some fail', async () => {
    const calls: string[] = [];
    const fails = (name: string) => (): never => {
      calls.push(name);
      throw new Error(name);
    };
    const { app, logged } = openApp({
      extensions: [
        { name: 'a', close: () => void calls.push('close a') },
        { name: 'b', stopping: fails('stop b'), close: fails('close b') },
        { name: 'c', stopping: async () => fails('stop c')(), close: async () => fails('close c')() },
      ],
    });
    await app.close();
    assert.deepEqual(calls, ['stop b', 'stop c', 'close c', 'close b', 'close a']);
    const said = logged.map(({ level, message, context }) => [
      level,
      message,
      String(Reflect.get(Object(context), 'error')),
    ]);
    const part = 'Part of the application could not be closed.';
    assert.deepEqual(
      said,
      ['stop b', 'stop c', 'close c', 'close b'].map((name) => ['error', part, `Error: ${name}`]),
    );
  });
});
