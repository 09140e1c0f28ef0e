import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, controllerEvent, createApp, HttpResponse, responseEvent } from 'lookback';
import { createCatalogue, createLocale } from 'lookback/locale';
import { createSecurity } from 'lookback/security';

const find = async (): Promise<object> => ({ id: 1 });
const texts = createCatalogue({ fallback: 'en', messages: { en: { hello: 'Hello {name}' } } });

function createShop(debug: boolean, lines: string[]): App {
  const security = createSecurity();
  const app = createApp({
    configuration: { env: debug ? 'dev' : 'prod', debug, profilerStore: debug ? 'memory:' : 'off', port: 0 },
    locale: createLocale({ enabled: ['en'] }),
    logHandlers: [{ minLevel: 'warning', handle: ({ message }) => void lines.push(message) }],
    security,
  });
  app.get('/record', () => ({ user: find() }));
  app.get('/list', () => [1, 2].map(() => find()));
  app.get('/later', async () => ({ counts: new Map([['a', 1]]) }));
  app.get('/response', () => HttpResponse.json({ tags: new Set(['a']) }));
  app.get('/session', async ({ request }) => {
    (await security.session(request)).set('user', find());
    return 'kept';
  });
  app.get('/text', () => texts.text('hello'));
  app.get('/go', ({ query }) => HttpResponse.redirect(`/search?q=${query.get('q') ?? ''}`));
  app.get('/replaced', () => 'the route');
  app.get('/answered', () => 'the route');
  app.on(controllerEvent, (event) => {
    if (event.request.path === '/replaced') event.controller = (() => 'another') as never; // JavaScript callers may do this
  });
  app.on(responseEvent, (event) => {
    if (event.request.path === '/answered') event.response = 'another' as never; // JavaScript callers may do this
  });
  return app;
}

/** An application with a helper that sends each request over a socket and with `app.fetch`. */
function serve(debug: boolean): {
  readonly lines: string[];
  ask(path: string): Promise<Response[]>;
  app: () => App;
} {
  const lines: string[] = [];
  let app: App;
  let url = '';
  before(async () => {
    app = createShop(debug, lines);
    url = (await app.listen()).url;
  });
  after(() => app.close());
  const init: RequestInit = { headers: { Accept: 'application/json' }, redirect: 'manual' };
  return {
    lines,
    app: () => app,
    ask: async (path) => [
      await fetch(`${url}${path}`, init),
      await app.fetch(path, { ...init, peer: { address: '127.0.0.1' } }),
    ],
  };
}

describe('a response in debug that would lose a value', () => {
  const { ask, app } = serve(true);

  for (const [path, message] of [
    ['/record', /contains a promise at \.user/],
    ['/list', /contains a promise at \[0\]/],
    ['/later', /contains a Map at \.counts/],
    ['/response', /contains a Set at \.tags/],
    ['/session', /session value "user" cannot be stored as JSON/],
    ['/text', /message "hello" in "en" cannot be formatted/],
    ['/replaced', /set event\.controller to a function/],
    ['/answered', /set event\.response to a string/],
  ] as const)
    it(`${path} is a 500 with the reason`, async () => {
      for (const response of await ask(path)) {
        assert.equal(response.status, 500);
        const { detail } = (await response.json()) as { detail: string }; // a problem document
        assert.match(detail, message);
      }
    });

  it('shows the location of the controller that returned it', async () => {
    const response = (await ask('/record')).at(-1);
    const found = await app().profiler?.find(response?.headers.get('x-debug-token') ?? '');
    assert.equal(found?.kind, 'found');
    assert.match(JSON.stringify(found), /lost-answers\.test/);
  });
});

describe('a response in production that would lose a value', () => {
  const { ask, lines } = serve(false);

  for (const [path, body] of [
    ['/record', '{"user":{}}'],
    ['/later', '{"counts":{}}'],
    ['/response', '{"tags":{}}'],
    ['/session', 'kept'],
    ['/text', 'Hello {name}'],
  ] as const)
    it(`${path} is sent with the remaining values`, async () => {
      for (const response of await ask(path))
        assert.deepEqual([response.status, await response.text()], [200, body]);
    });

  it('causes one log line if a message cannot be formatted', () => {
    assert.equal(lines.filter((line) => line.includes('"hello" in "en"')).length, 2, 'asked twice');
  });
});

describe("a redirect to a URL with a visitor's text", () => {
  const { ask } = serve(false);

  it('is percent-encoded', async () => {
    for (const [text, location] of [
      ['green tea', '/search?q=green%20tea'],
      ['a\tb', '/search?q=a%09b'],
      ['a\r\nX: y', '/search?q=a%0D%0AX:%20y'],
      ['日本 \\', '/search?q=%E6%97%A5%E6%9C%AC%20%5C'],
    ] as const)
      for (const response of await ask(`/go?q=${encodeURIComponent(text)}`))
        assert.deepEqual([response.status, response.headers.get('location')], [302, location]);
  });
});
