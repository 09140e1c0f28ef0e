import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod';
import {
  type App,
  createApp,
  defineEvent,
  exceptionEvent,
  type Extension,
  HttpRequest,
  HttpResponse,
  requestEvent,
} from 'lookback';
import { attach } from 'lookback/attach';
import { readForm, requestBody, validateValue, withArguments, withSchemas } from 'lookback/controller';
import { html } from 'lookback/html';
import { createProfiler, findingsOf, type ProfileRecord } from 'lookback/profiler';
import { cors, receiveUploads } from 'lookback/web';
import type { Snapshot } from '#core/dump';
import type { ViewSection } from '../../src/profiler/sections/templates/section.js';
import type { ValidationSection } from '../../src/profiler/sections/validation/section.js';
import type { MultipartSection } from '../../src/profiler/recording/body-parts.js';
import { local } from '../local-peer.js';
import { until } from '../until.js';

const secret = ['hunter', '22'].join(''); // in two parts, because the error page shows this file
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

describe("a record's configuration", () => {
  it('has the versions of lookback and ICU, the time zone, and all extensions, including those added later', async () => {
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

  it('changes for subsequent records of a writer thread, and can be described after closing', async () => {
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

describe("a record's log", () => {
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

  it("has other loggers' messages as they were written", async () => {
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
  sections['view'] as ViewSection | undefined; // the type that the collector stores

describe("a record's templates", () => {
  it("include each html template with location, uses and size, even nested ones, but not those of lookback's pages", async () => {
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

  it('are limited in number, and the others are counted', async () => {
    await withApp(async (app) => {
      // Creates distinct templates, because their strings differ.
      const makers = Array.from({ length: 120 }, (_, at) => Object.assign([`<p>${at}</p>`], { raw: [''] }));
      app.get('/', () => makers.map((strings) => String(html(strings))).join(''));
      const { templates = [], moreTemplates } = viewOf(await recorded(app, '/')) ?? assert.fail();
      assert.deepEqual([templates.length, moreTemplates], [100, 20]);
    });
  });
});

const validationOf = ({ sections }: ProfileRecord): ValidationSection =>
  sections['validation'] as ValidationSection; // the type that the collector stores
const leafOf = (snapshot: Snapshot | null | undefined, key: string): string | undefined =>
  snapshot?.entries?.find((entry) => entry.key === key)?.value.text;

describe("a record's validations", () => {
  const Registration = z.object({
    name: z.string().min(1, 'Enter a name.'),
    password: z
      .string()
      .refine((text) => text.length > 20, { error: ({ input }) => `“${String(input)}” is short.` }),
    address: z.object({ city: z.string().min(1, 'Enter a city.') }),
  });

  it('include a form that readForm refused: values without secrets, paths, messages, and a finding', async () => {
    await withApp(async (app) => {
      app.post('/form', async ({ request }) => {
        const { errors } = await readForm(request, Registration);
        return HttpResponse.json(errors, { status: 422 });
      });
      const body = new URLSearchParams({ name: '', password: secret, 'address[city]': '' });
      const record = await recorded(app, '/form', { method: 'POST', body });
      const [form, ...others] = validationOf(record).validations;
      assert.deepEqual([form?.source, others.length, form?.more], ['form', 0, 0]);
      assert.deepEqual(
        form?.violations.map(({ path, message, value }) => [path, message, value?.type]),
        [
          ['name', 'Enter a name.', 'string'],
          ['password', '“[redacted]” is short.', 'redacted'],
          ['address.city', 'Enter a city.', 'string'],
        ],
      );
      assert.equal(leafOf(form?.values, 'name'), '');
      assert.doesNotMatch(JSON.stringify(record.sections), unsaid);
      assert.ok(
        findingsOf(record).some(({ text }) => text === 'Form refused: name: Enter a name (and 2 more)'),
      );
      for (const rest of ['?panel=validation', '.md?panel=validation']) {
        const page = await pageOf(app, record, rest);
        for (const text of ['Form: refused', 'address.city', 'Enter a city.'])
          assert.ok(page.includes(text), `${rest}: ${text}`);
      }
    });
  });

  it('mark a refused secret that looks generated, so that equal ones can be recognised', async () => {
    await withApp(async (app) => {
      const Key = z.object({ api_key: z.string().max(5, 'Too long.') });
      app.post('/key', async ({ request }) => HttpResponse.json((await readForm(request, Key)).errors));
      const markOf = async (key: string): Promise<string | undefined> => {
        const body = new URLSearchParams({ api_key: key });
        const record = await recorded(app, '/key', { method: 'POST', body });
        const [violation] = validationOf(record).validations[0]?.violations ?? [];
        assert.equal(violation?.value?.type, 'redacted');
        return violation.value.text;
      };
      const [one, same, other] = [
        await markOf('Zk81-mQp9-xW2v-7Yt4'),
        await markOf('Zk81-mQp9-xW2v-7Yt4'),
        await markOf('Aq93-xL0p-Qw7e-5Rt2'),
      ];
      assert.match(one ?? '', /^\[redacted-[\da-f]{4}\]$/);
      assert.equal(one, same);
      assert.notEqual(one, other);
      assert.equal(await markOf('hunter2222'), undefined, 'short enough to guess');
    });
  });

  it('include each part that withSchemas checked with its source, requestBody, validateValue, and a refused result', async () => {
    await withApp(async (app) => {
      const number = z.object({ page: z.coerce.number('Enter a number.') });
      app.post(
        '/schemas/{id}',
        withSchemas(
          {
            params: z.object({ id: z.string() }),
            query: number,
            headers: z.object({ 'x-own': z.string() }),
            body: z.object({ a: z.number() }),
          },
          () => 'x',
        ),
      );
      app.get(
        '/item/{id}',
        withSchemas({ params: z.object({ id: z.coerce.number('No number.') }) }, () => 'x'),
      );
      app.get(
        '/result',
        withSchemas({ response: z.object({ id: z.number() }) }, () => ({ id: 'x' }) as never),
      );
      app.get('/value', async () => String(await validateValue(z.number(), 'no')));
      app.post(
        '/own',
        withArguments([requestBody(z.object({ a: z.number() }))], ({ a }) => String(a)),
      );
      const post = { method: 'POST', body: '{"a":"x"}', headers: { 'Content-Type': 'application/json' } };
      const seen = async (target: string, init: RequestInit = {}): Promise<unknown> =>
        validationOf(await recorded(app, target, init)).validations.map(({ source, violations, values }) => [
          source,
          violations.map(({ path }) => path),
          values !== null,
        ]);
      assert.deepEqual(await seen('/schemas/7?page=x', post), [
        ['path', [], false],
        ['query', ['page'], true],
        ['header', ['x-own'], false],
        ['body', ['a'], true],
      ]);
      assert.deepEqual(await seen('/item/x'), [['path', ['id'], true]]);
      assert.deepEqual(await seen('/result'), [['response', ['id'], true]]);
      assert.deepEqual(await seen('/value'), [['value', [''], true]]);
      assert.deepEqual(await seen('/own', post), [['body', ['a'], true]]);
      const fine = { ...post, body: '{"a":1}' };
      assert.deepEqual(await seen('/own', fine), [['body', [], false]]);
    });
  });

  it('have the name, type and size of each file in a form, and are limited', async () => {
    await withApp(async (app) => {
      const never = z.object({ photo: z.any().refine(() => false, 'No photo.') });
      app.post('/form', async ({ request }) => {
        for (let at = 0; at < 60; at++) await readForm(request, never);
        return 'x';
      });
      const body = new FormData();
      body.append('photo', new File([secret], 'cat.png', { type: 'image/png' }));
      const record = await recorded(app, '/form', { method: 'POST', body });
      const { validations, more } = validationOf(record);
      assert.deepEqual([validations.length, more], [50, 10]);
      const [violation] = validations[0]?.violations ?? [];
      assert.deepEqual(
        ['file', 'type', 'bytes'].map((key) => leafOf(violation?.value, key)),
        ['cat.png', 'image/png', '8'],
      );
      assert.doesNotMatch(JSON.stringify(record), unsaid);
      const cookies = z.object({ cookie: z.string().min(99, 'Too short.') });
      app.get(
        '/headers',
        withSchemas({ headers: cookies }, () => 'x'),
      );
      const asked = await recorded(app, '/headers', { headers: { Cookie: `sid=${secret}` } });
      assert.doesNotMatch(JSON.stringify(asked.sections), unsaid);
    });
  });
});

const partsOf = ({ sections }: ProfileRecord): MultipartSection | undefined =>
  sections['multipart'] as MultipartSection | undefined; // the type that the collector stores

describe("a record's multipart parts", () => {
  const expected = {
    parts: [
      { name: 'title', bytes: 5 },
      { name: 'photo', filename: 'cat.png', type: 'image/png', bytes: 100_000 },
    ],
    more: 0,
  };
  const body = (): FormData => {
    const form = new FormData();
    form.append('title', 'A cat');
    form.append('photo', new File(['x'.repeat(100_000)], 'cat.png', { type: 'image/png' }));
    return form;
  };

  it('have names, types and sizes, however the application reads them, and whichever server runs it', async () => {
    await withApp(async (app) => {
      app.post('/bytes', async ({ request }) => String((await request.bytes()).length));
      app.post('/form', async ({ request }) => (await request.form()).get('title') ?? '');
      app.post('/stream', async ({ request }) => {
        for await (const chunk of request.body) void chunk;
        return 'x';
      });
      app.post(
        '/uploads',
        async ({ request }) =>
          (
            await receiveUploads(request, {
              to: async ({ stream }) => {
                for await (const chunk of stream) void chunk;
              },
            })
          ).fields,
      );
      for (const path of ['/bytes', '/form', '/stream', '/uploads']) {
        const record = await recorded(app, path, { method: 'POST', body: body() });
        assert.deepEqual(partsOf(record), expected, path);
        assert.equal(record.request.body?.content, '', path);
      }
      const { url } = await app.listen({ port: 0 });
      const answer = await fetch(`${url}/stream`, { method: 'POST', body: body() });
      await answer.text();
      const found = await app.profiler?.find(answer.headers.get('x-debug-token') ?? '');
      assert.ok(found?.kind === 'found');
      assert.deepEqual(partsOf(found.record), expected);
      for (const rest of ['?panel=request', '.md?panel=request']) {
        const page = await pageOf(app, found.record, rest);
        for (const text of ['title', 'photo', 'cat.png', 'image/png', '97.7 KiB'])
          assert.ok(page.includes(text), `${rest}: ${text}`);
      }
      assert.doesNotMatch(await pageOf(app, found.record, '?panel=more'), /multipart</);
    });
  });

  it('are recorded for an attached server, and for a body that no one read', async () => {
    await withApp(async (app) => {
      app.post('/unread', () => 'x');
      const form = new FormData();
      form.append('note', 'short');
      const record = await recorded(app, '/unread', { method: 'POST', body: form });
      assert.deepEqual(partsOf(record)?.parts, [{ name: 'note', bytes: 5 }]);
      assert.equal(partsOf(await recorded(app, '/unread', { method: 'POST', body: 'a=b' })), undefined);
    });
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.end('x'));
    });
    const attached = attach(server, { store: 'memory:' });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo; // listens on a port
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: body() });
      await answer.text();
      const token = answer.headers.get('x-debug-token');
      const page = await (await fetch(`http://127.0.0.1:${port}/_profiler/${token}.json`)).text();
      assert.deepEqual(partsOf(JSON.parse(page) as ProfileRecord), expected); // our own JSON
    } finally {
      server.close();
      server.closeAllConnections();
      await attached.close();
    }
  });
});

describe("a record's listeners that were not called", () => {
  const notCalledOf = ({ events }: ProfileRecord): string[] =>
    events.flatMap(({ notCalled = [] }) =>
      notCalled.map(({ event, name, why }) => `${event} ${name}: ${why}`),
    );

  it('are those for events that were not dispatched, with the reason, and never a called one', async () => {
    await withApp(async (app) => {
      app.on(exceptionEvent, () => undefined, { name: 'own errors' });
      app.on(defineEvent<{ readonly order: number }>('order.paid'), () => undefined, { name: 'own event' });
      app.get('/', () => HttpResponse.text('x'));
      app.get('/text', () => 'x');
      app.get('/fails', () => {
        throw new Error('x');
      });
      const record = await recorded(app, '/');
      const found = notCalledOf(record);
      for (const one of [
        'exception own errors: nothing was thrown',
        'exception error page: nothing was thrown',
        'view view: the controller returned a response',
      ])
        assert.ok(found.includes(one), `${one} in ${found.join('; ')}`);
      const called = new Set(
        record.events.flatMap(({ event, listeners }) => listeners.map(({ name }) => `${event} ${name}`)),
      );
      for (const one of found) assert.ok(!called.has(one.split(':', 1).join()), one);
      assert.ok(!found.some((one) => one.includes('own event')), 'dispatches of own events are not recorded');
      assert.deepEqual(
        record.events.map(({ event }) => event),
        ['request', 'controller', 'controller_arguments', 'response', 'finish_request', 'terminate'],
      );
      assert.ok(!notCalledOf(await recorded(app, '/text')).some((one) => one.startsWith('view')));
      const failed = notCalledOf(await recorded(app, '/fails'));
      assert.ok(!failed.some((one) => one.includes('own errors')));
      assert.ok(failed.includes('view view: the event view was not dispatched'));
      for (const rest of ['?panel=events', '.md?panel=events']) {
        const page = await pageOf(app, record, rest);
        for (const text of ['error page', 'nothing was thrown', 'own errors'])
          assert.ok(page.includes(text), `${rest}: ${text}`);
      }
    });
  });

  it('are those after one that ended the event or threw, and change when listeners are added and removed', async () => {
    await withApp(async (app) => {
      const remove = app.on(
        requestEvent,
        (event) => {
          event.response = HttpResponse.text('early');
        },
        { name: 'early', priority: 100 },
      );
      app.on(requestEvent, () => undefined, { name: 'last', priority: -100 });
      app.get('/', () => 'x');
      const found = notCalledOf(await recorded(app, '/'));
      for (const one of ['request router: “early” ended the event', 'request last: “early” ended the event'])
        assert.ok(found.includes(one), `${one} in ${found.join('; ')}`);
      assert.ok(
        found.some(
          (one) =>
            one.startsWith('controller_arguments') && one.endsWith('“early” answered the request before'),
        ),
      );
      remove();
      assert.ok(!notCalledOf(await recorded(app, '/')).some((one) => one.startsWith('request')));
      app.on(
        requestEvent,
        () => {
          throw new Error('x');
        },
        { name: 'broken', priority: 100 },
      );
      assert.ok(notCalledOf(await recorded(app, '/')).includes('request last: “broken” threw'));
    });
  });
});
