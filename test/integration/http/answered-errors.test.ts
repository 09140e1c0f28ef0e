import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type App,
  controllerArgumentsEvent,
  controllerEvent,
  createApp,
  exceptionEvent,
  finishRequestEvent,
  type HttpRequest,
  HttpResponse,
  NotFoundError,
  requestEvent,
  responseEvent,
  terminateEvent,
  viewEvent,
} from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';
import { createMemoryUserProvider, createSecurity, formLogin } from 'lookback/security';
import { until } from '../../until.js';
import type { Answer, Transport } from './transports.js';
import { ask, field, openTransport, tlsFiles, transportNames } from './transports.js';

const stages = ['request', 'controller', 'controller_arguments', 'view', 'response'];

function openApp(isEncrypted: boolean): App {
  const app = createApp({
    configuration: {
      env: 'test',
      debug: true,
      profilerStore: 'memory:',
      ...(isEncrypted ? { tls: tlsFiles } : {}),
    },
    security: createSecurity({
      provider: createMemoryUserProvider([]),
      firewalls: [{ name: 'main', authenticators: [formLogin()] }],
      accessControl: [{ path: '/admin', allow: 'ROLE_ADMIN' }],
    }),
    logHandlers: [],
  });
  app.get('/fails', () => {
    throw new RangeError('row 7 is missing');
  });
  app.get('/text', () => HttpResponse.text('fine'));
  app.get('/result', () => ({ fine: true }));
  addExceptionListeners(app);
  const throwAt = (stage: string, { headers }: HttpRequest): void => {
    if (headers.get('x-stage') === stage) throw new TypeError(`bug in ${stage}`);
  };
  app.on(requestEvent, ({ request }) => throwAt('request', request));
  app.on(controllerEvent, ({ request }) => throwAt('controller', request));
  app.on(controllerArgumentsEvent, ({ request }) => throwAt('controller_arguments', request));
  app.on(viewEvent, ({ request }) => throwAt('view', request));
  app.on(responseEvent, ({ request }) => throwAt('response', request));
  app.on(finishRequestEvent, ({ request }) => throwAt('finish_request', request));
  app.on(terminateEvent, ({ request }) => throwAt('terminate', request));
  return app;
}

/** The `x-does` request header selects the action of an exception listener. */
function addExceptionListeners(app: App): void {
  app.on(
    exceptionEvent,
    function mapErrors(event) {
      const { error } = event;
      switch (event.request.headers.get('x-does')) {
        case 'wrap':
          event.error = new NotFoundError('There is no such row.', { cause: error });
          break;
        case 'replace':
          event.error = new NotFoundError('There is no such row.');
          break;
        case 'replace with text':
          event.error = 'only text';
          break;
        case 'throw':
          throw new TypeError('bug in the listener');
        case 'throw text':
          throw 'only text'; // eslint-disable-line no-throw-literal -- any value may be thrown
        case 'rethrow':
          throw error;
        case 'answer and throw':
          event.response = HttpResponse.text('half done');
          throw new TypeError('bug in the listener');
        case 'redirect':
          event.response = HttpResponse.redirect('/text');
          break;
        case 'answer':
          event.response = HttpResponse.text('my own page', { status: 503 });
      }
    },
    { priority: 20 },
  );
  app.on(
    exceptionEvent,
    async function throwLater({ request }) {
      await Promise.resolve();
      if (request.headers.get('x-later') !== undefined) throw new SyntaxError('a second bug');
    },
    { priority: 10 },
  );
}

for (const name of transportNames)
  describe(`the record of an error and its response, over ${name}`, () => {
    let app: App;
    let transport: Transport;
    before(async () => {
      app = openApp(name === 'TLS' || name === 'HTTP/2');
      transport = await openTransport(name, app);
    });
    after(async () => {
      await transport.close();
      await app.close();
    });

    async function get(path: string, headers: Record<string, string> = {}): Promise<[Answer, ProfileRecord]> {
      const answer = await ask(transport, { path, headers: { accept: 'text/html', ...headers } });
      const token = field(answer, 'x-debug-token') ?? '';
      await until(async () => (await app.profiler?.find(token))?.kind === 'found');
      const found = await app.profiler?.find(token);
      assert.ok(found?.kind === 'found', `${path}: ${found?.kind}`);
      return [answer, found.record];
    }
    const chainOf = ({ exception }: ProfileRecord): string[] =>
      (exception?.errors ?? []).map(
        ({ class: name, message, isOuter, replaced }) =>
          `${name}: ${message}${isOuter ? ' (seen)' : ''}${replaced === undefined ? '' : ` (${replaced.how} in ${replaced.by})`}`,
      );
    const messageOf = (answer: Answer): string =>
      decodeURIComponent(field(answer, 'x-debug-exception') ?? '');

    it('has the error that replaced the thrown one, which stays visible with the listener', async () => {
      for (const does of ['wrap', 'replace']) {
        const [answer, record] = await get('/fails', { 'x-does': does });
        assert.deepEqual(
          [answer.status, messageOf(answer), record.exception?.status],
          [404, 'There is no such row.', 404],
        );
        assert.deepEqual(
          chainOf(record),
          [
            'RangeError: row 7 is missing (assigned in mapErrors)',
            'NotFoundError: There is no such row. (seen)',
          ],
          does,
        );
        assert.match(answer.body, /replaced by event\.error in mapErrors/);
        const [{ body }] = await get(`/_profiler/${record.token}?panel=exception`);
        assert.match(body, /There is no such row\./);
        assert.match(body, /replaced by event\.error in mapErrors/);
      }
      const [, text] = await get('/fails', { 'x-does': 'replace with text' });
      assert.deepEqual(chainOf(text), [
        'RangeError: row 7 is missing (assigned in mapErrors)',
        'string: only text (seen)',
      ]);
    });

    it('has the refusal of an anonymous visitor, unless the response redirects to the login', async () => {
      const [asked, refused] = await get('/admin', { accept: 'application/json' });
      assert.equal(asked.status, 401);
      const [denied = '', seen = ''] = chainOf(refused);
      assert.match(denied, /^AccessDeniedError: .*\(assigned in access denied\)$/);
      assert.equal(seen, 'HttpError: Full authentication is required to access this resource. (seen)');
      const [redirected, record] = await get('/admin');
      assert.deepEqual([redirected.status, field(redirected, 'x-debug-exception')], [302, undefined]);
      assert.equal(record.exception, null);
      const [{ body }] = await get(`/_profiler/${record.token}?panel=exception`);
      assert.doesNotMatch(body, /what the client saw/);
    });

    it('names the listener that answered an error with a redirect, and has the error behind a custom error page', async () => {
      const [, redirected] = await get('/fails', { 'x-does': 'redirect' });
      assert.deepEqual(redirected.exception?.answered, { by: 'mapErrors', status: 302 });
      assert.deepEqual(chainOf(redirected), ['RangeError: row 7 is missing']);
      const [{ body }] = await get(`/_profiler/${redirected.token}?panel=exception`);
      assert.match(body, /The listener mapErrors answered this error with 302/);
      assert.doesNotMatch(body, /what the client saw/);
      const [page, answered] = await get('/fails', { 'x-does': 'answer' });
      assert.deepEqual([page.status, page.body.slice(0, 11)], [503, 'my own page']);
      assert.deepEqual(chainOf(answered), ['RangeError: row 7 is missing (seen)']);
    });

    it('has the debug page for an exception listener that throws, with both errors', async () => {
      const bug = 'TypeError: bug in the listener';
      for (const [headers, expected, status] of [
        [{ 'x-does': 'throw' }, ['RangeError: row 7 is missing (threw in mapErrors)', `${bug} (seen)`], 500],
        [
          { 'x-does': 'answer and throw' },
          ['RangeError: row 7 is missing (threw in mapErrors)', `${bug} (seen)`],
          500,
        ],
        [{ 'x-does': 'rethrow' }, ['RangeError: row 7 is missing (seen)'], 500],
        [
          { 'x-does': 'throw text' },
          ['RangeError: row 7 is missing (threw in mapErrors)', 'string: only text (seen)'],
          500,
        ],
        [
          { 'x-does': 'throw', 'x-later': 'yes' },
          [
            'RangeError: row 7 is missing (threw in mapErrors)',
            `${bug} (threw in throwLater)`,
            'SyntaxError: a second bug (seen)',
          ],
          500,
        ],
        [
          { 'x-does': 'wrap', 'x-later': 'yes' },
          [
            'RangeError: row 7 is missing (assigned in mapErrors)',
            'NotFoundError: There is no such row. (threw in throwLater)',
            'SyntaxError: a second bug (seen)',
          ],
          500,
        ],
      ] as const) {
        const [answer, record] = await get('/fails', headers);
        assert.deepEqual([answer.status, chainOf(record)], [status, expected]);
        assert.match(field(answer, 'content-type') ?? '', /^text\/html/);
        for (const line of expected)
          assert.ok(answer.body.includes(line.replace(/^\w+: | \(.*/g, '')), `${line} on the page`);
        const own = /(?:threw|assigned) in (\w+)/.exec(expected[0])?.[1];
        if (own !== undefined) assert.match(answer.body, new RegExp(`replaced by .* in ${own}`));
        assert.equal(field(answer, 'x-robots-tag'), 'noindex');
      }
      const [missing, record] = await get('/robots.txt', { 'x-does': 'throw' });
      assert.equal(missing.status, 500);
      assert.equal(record.exception?.errors.length, 3);
      assert.ok(
        record.logs.some(({ message }) =>
          message.includes('mapErrors threw while handling NotFoundError: No route found for'),
        ),
      );
    });

    it('has the error of a listener in every stage before the response, with a debug page', async () => {
      for (const stage of stages) {
        const [answer, record] = await get('/result', { 'x-stage': stage });
        assert.deepEqual([answer.status, messageOf(answer)], [500, `bug in ${stage}`], stage);
        assert.match(answer.body, /<pre class="code"/);
        assert.deepEqual(chainOf(record), [`TypeError: bug in ${stage} (seen)`]);
      }
    });

    it('has both errors if a response listener throws after an error page', async () => {
      const [answer, record] = await get('/fails', { 'x-stage': 'response' });
      assert.deepEqual([answer.status, messageOf(answer)], [500, 'bug in response']);
      assert.deepEqual(chainOf(record), [
        'RangeError: row 7 is missing (threw in response)',
        'TypeError: bug in response (seen)',
      ]);
    });

    it('has the error of a listener after the response, which the client receives complete', async () => {
      for (const stage of ['finish_request', 'terminate']) {
        const [answer, record] = await get('/text', { 'x-stage': stage });
        assert.deepEqual([answer.status, answer.body.slice(0, 4)], [200, 'fine'], stage);
        assert.deepEqual(chainOf(record), [`TypeError: bug in ${stage}`]);
        assert.ok((record.exception?.errors[0]?.frames.length ?? 0) > 0);
        assert.ok(record.logs.some(({ message }) => message.includes(`bug in ${stage}`)));
      }
    });
  });
