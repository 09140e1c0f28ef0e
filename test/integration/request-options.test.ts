import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createApp, HttpError, HttpResponse, NotFoundError } from 'lookback';
import { queryParameter, readContent, requestBody } from 'lookback/controller';
import { contentSecurityPolicy, html, renderDocument } from 'lookback/html';
import { createSecurity } from 'lookback/security';
import { download, eventStream, receiveUploads } from 'lookback/web';
import { z } from 'zod';
import { overTransports } from './web/over-transports.js';

/** Options that only JavaScript can pass. */
const given = (options: unknown): never => options as never;

const quiet = { configuration: { profilerStore: 'off' }, logHandlers: [] } as const;
const security = createSecurity({ secret: 'x'.repeat(40), firewalls: [{ name: 'main' }] });
const app = createApp({ ...quiet, security });
after(() => app.close());
app.get('/named/{id}', () => 'x', { name: 'named' });

type Call = (request: Parameters<typeof download>[0], options: never) => unknown;

const cookie: Call = (_, options) => HttpResponse.text('x').setCookie('a', '1', options);
const redirect: Call = (_, options) => HttpResponse.redirect('/', options);
const json: Call = (_, options) => HttpResponse.json({}, options);
const downloaded: Call = (request, options) => download(request, Buffer.from('x'), options);
const events: Call = (request, options) =>
  eventStream(
    request,
    async function* () {
      yield 'x';
    },
    options,
  );
const uploads: Call = async (request, options) =>
  (await receiveUploads(request, Object.assign({ to: () => 1 }, options))).files.length;
const body: Call = (_, options) => requestBody(z.any(), options).name;
const query: Call = (_, options) => queryParameter('a', options).name;
const url: Call = (_, options) => app.url('named', { id: '1' }, options);
const thrown: Call = (_, options) => {
  throw new NotFoundError('x', options);
};
const page: Call = (_, options) =>
  renderDocument(html`<p>x</p>`, Object.assign({ lang: 'en', title: 'x' }, options));

/** Calls with options that are refused, and the beginning of the error message. */
const refused: readonly (readonly [call: Call, options: unknown, message: string])[] = [
  [cookie, { samesite: 'Strict' }, 'setCookie("a") has no option "samesite". Did you mean "sameSite"?'],
  [cookie, { maxage: 60 }, 'setCookie("a") has no option "maxage". Did you mean "maxAge"?'],
  [cookie, { HttpOnly: false }, 'setCookie("a") has no option "HttpOnly".'],
  [cookie, { sameSite: 'strict' }, 'The sameSite option of setCookie("a") is "strict".'],
  [cookie, { maxAge: '60' }, 'The maxAge option of setCookie("a") is "60".'],
  [cookie, { maxAge: NaN }, 'The maxAge option of setCookie("a") is NaN.'],
  [cookie, { expires: '2030-01-01' }, 'The expires option of setCookie("a") is "2030-01-01".'],
  [cookie, { secure: 'false' }, 'The secure option of setCookie("a") is "false".'],
  [cookie, { httpOnly: 0 }, 'The httpOnly option of setCookie("a") is 0.'],
  [cookie, { path: null }, 'The path option of setCookie("a") is null.'],
  [cookie, { partitioned: 1 }, 'The partitioned option of setCookie("a") is 1.'],
  [cookie, 'Strict', 'The options of setCookie("a") must be an object, but a string was passed.'],
  [
    (_, value) => HttpResponse.text('x').setCookie('a', value),
    5,
    'The value argument of setCookie("a") is 5.',
  ],
  [
    (_, options) => HttpResponse.text('x').clearCookie('a', options),
    { paht: '/x' },
    'setCookie("a") has no option "paht". Did you mean "path"?',
  ],
  [json, { statusCode: 201 }, 'a response has no option "statusCode".'],
  [json, { header: {} }, 'a response has no option "header". Did you mean "headers"?'],
  [json, { status: '201' }, 'The status option of a response is "201".'],
  [json, { headers: 'X: 1' }, 'The headers option of a response is "X: 1".'],
  [json, 201, 'The options of a response must be an object, but a number was passed.'],
  [
    (_, options) => new HttpResponse('x', options),
    { stauts: 1 },
    'a response has no option "stauts". Did you mean "status"?',
  ],
  [(_, options) => HttpResponse.html('x', options), { code: 1 }, 'a response has no option "code".'],
  [(_, options) => HttpResponse.stream('x', options), { type: 'x' }, 'a response has no option "type".'],
  [redirect, { code: 303 }, 'HttpResponse.redirect() has no option "code".'],
  [redirect, { status: 200 }, 'The status option of HttpResponse.redirect() is 200.'],
  [redirect, { external: 'yes' }, 'The external option of HttpResponse.redirect() is "yes".'],
  [redirect, 303, 'The options of HttpResponse.redirect() must be an object, but a number was passed.'],
  [downloaded, { fileName: 'a' }, 'download() has no option "fileName". Did you mean "filename"?'],
  [downloaded, { filename: 5 }, 'The filename option of download() is 5.'],
  [downloaded, { inline: 'no' }, 'The inline option of download() is "no".'],
  [downloaded, { root: ['x'] }, 'The root option of download() is a list.'],
  [events, { heartbeat: 1 }, 'eventStream() has no option "heartbeat".'],
  [events, { heartbeatSeconds: '5' }, 'The heartbeatSeconds option of eventStream() is "5".'],
  [events, { retryMilliseconds: NaN }, 'The retryMilliseconds option of eventStream() is NaN.'],
  [uploads, { maxFileSize: 10 }, 'receiveUploads() has no option "maxFileSize".'],
  [uploads, { maxFileBytes: NaN }, 'The maxFileBytes option of receiveUploads() is NaN.'],
  [uploads, { maxFileBytes: '10' }, 'The maxFileBytes option of receiveUploads() is "10".'],
  [uploads, { maxFileBytes: -1 }, 'The maxFileBytes option of receiveUploads() is -1.'],
  [uploads, { maxFiles: 1.5 }, 'The maxFiles option of receiveUploads() is 1.5.'],
  [uploads, { types: 'image/*' }, 'The types option of receiveUploads() is "image/*".'],
  [uploads, { schema: {} }, 'The schema option of receiveUploads() is an object.'],
  [uploads, { to: 5 }, 'The to option of receiveUploads() is 5.'],
  [uploads, { to: undefined }, 'The to option of receiveUploads() is missing.'],
  [body, { kind: ['json'] }, 'requestBody() has no option "kind". Did you mean "kinds"?'],
  [body, { kinds: 'json' }, 'The kinds option of requestBody() is "json".'],
  [body, { kinds: ['xml'] }, 'The kinds[0] option of requestBody() is "xml".'],
  [query, { defaults: 1 }, 'queryParameter("a") has no option "defaults". Did you mean "default"?'],
  [query, { convert: 'int' }, 'The convert option of queryParameter("a") is "int".'],
  [query, { optional: 'true' }, 'The optional option of queryParameter("a") is "true".'],
  [
    (request, kinds) => readContent(request, kinds),
    ['xml'],
    'The kinds[0] argument of readContent() is "xml".',
  ],
  [
    (request, options) => request.openBody(options),
    { maxBytes: NaN },
    'The maxBytes option of openBody() is NaN.',
  ],
  [(request, options) => request.openBody(options), { max: 1 }, 'openBody() has no option "max".'],
  [url, { absolute: true }, 'url() has no option "absolute".'],
  [url, { type: 'full' }, 'The type option of url() is "full".'],
  [thrown, { header: {} }, 'an HttpError has no option "header". Did you mean "headers"?'],
  [thrown, { expose: 'no' }, 'The expose option of an HttpError is "no".'],
  [
    (_, options) => new HttpError(400, 'x', options),
    { violations: 'x' },
    'The violations option of an HttpError is "x".',
  ],
  [page, { language: 'en' }, 'renderDocument() has no option "language".'],
  [page, { title: 5 }, 'The title option of renderDocument() is 5.'],
  [
    (_, options) => contentSecurityPolicy(options),
    { image: 'self' },
    'contentSecurityPolicy() has no option "image". Did you mean "images"?',
  ],
  [
    (_, options) => contentSecurityPolicy(options),
    { images: 'all' },
    'The images option of contentSecurityPolicy() is "all".',
  ],
  [
    (request, options) => security.logIn(request, { identifier: 'a', roles: [] }, options),
    { remember: true },
    'security.logIn() has no option "remember". Did you mean "rememberMe"?',
  ],
  [
    (_, peer) => app.fetch('/named/1', { peer }),
    { adress: '127.0.0.1' },
    'The peer has no option "adress". Did you mean "address"?',
  ],
];

describe('a function called by a controller', () => {
  let current: (typeof refused)[number] | undefined;
  app.any('/call', async ({ request }) => {
    const [call, options] = current ?? [];
    const result = await call?.(request, given(options));
    return result instanceof HttpResponse ? result : 'done';
  });
  const ask = async (): Promise<Response> => {
    const form = new FormData();
    form.append('a', new Blob(['x'.repeat(5000)]), 'a');
    return app.fetch(
      new Request('http://localhost/call', {
        method: 'POST',
        body: form,
        headers: { accept: 'application/json' },
      }),
      { peer: { address: '127.0.0.1' } },
    );
  };

  for (const entry of refused)
    it(`refuses ${JSON.stringify(entry[1]) ?? 'undefined'}: ${entry[2]}`, async () => {
      current = entry;
      const answer = await ask();
      const text = await answer.text();
      assert.equal(answer.status, 500, text.slice(0, 300));
      const { debug } = JSON.parse(text) as { debug: { exception: { message: string; code?: string }[] } }; // in debug
      const [error] = debug.exception;
      assert.ok(error?.message.startsWith(entry[2]), error?.message);
    });

  it('treats an option without a value as missing, and keeps its default', async () => {
    const none = {
      maxAge: undefined,
      expires: undefined,
      path: undefined,
      secure: undefined,
      other: undefined,
    };
    assert.equal(
      HttpResponse.text('x').setCookie('a', '1', given(none)).headers.get('set-cookie'),
      'a=1; Path=/; HttpOnly; SameSite=Lax',
    );
    assert.equal(HttpResponse.json({}, given({ status: undefined, headers: undefined })).status, 200);
    current = [uploads, { maxFileBytes: undefined, maxFiles: undefined, types: undefined }, ''];
    assert.equal((await ask()).status, 200);
  });
});

describe('a route', () => {
  it('is refused with a requirement for a variable that its path lacks', () => {
    const routes = createApp(quiet);
    assert.throws(() => routes.get('/x/{id}', () => 'x', { requirements: { idd: '\\d+' } }), {
      code: 'ROUTING_BAD_DEFINITION',
      message: /a requirement for "idd"/,
      fix: /Did you mean "id"/,
    });
    assert.throws(() => routes.get('/y', () => 'y', { requirements: { id: '\\d+' } }), {
      code: 'ROUTING_BAD_DEFINITION',
    });
    routes.get({ en: '/z/{id}', de: '/z' }, () => 'z', { requirements: { id: '\\d+' } });
    routes.group({ path: '/g', requirements: { id: '\\d+' } }, (group) => {
      group.get('/{id}', () => 'with');
      group.get('/', () => 'without');
    });
    assert.ok(routes.routes.all().length >= 4);
  });

  it('is refused with a percent-encoded path, which no request would match', () => {
    for (const [path, hint] of [
      ['/%C3%A9', /Write "é"/],
      ['/a%20b/{c}', /Write " "/],
    ] as const)
      assert.throws(() => createApp(quiet).get(path, () => 'x'), { code: 'ROUTING_BAD_PATTERN', fix: hint });
    createApp(quiet).get('/100%/{a}', () => 'x');
    createApp(quiet).get('/é', () => 'x');
  });
});

overTransports(
  'a partitioned cookie',
  () => ({
    options: {
      security: createSecurity({
        secret: 'x'.repeat(40),
        firewalls: [{ name: 'main' }],
        sessions: { cookie: { sameSite: 'Lax', partitioned: true } },
      }),
    },
    define: (bench) => {
      bench.get('/set', () =>
        HttpResponse.text('x').setCookie('a', '1', { secure: true, sameSite: 'None', partitioned: true }),
      );
      bench.get('/clear', () =>
        HttpResponse.text('x').clearCookie('a', { secure: true, sameSite: 'None', partitioned: true }),
      );
      bench.get('/insecure', () => HttpResponse.text('x').setCookie('a', '1', { partitioned: true }));
    },
  }),
  (bench) => {
    it('is set with Partitioned and Secure, and is refused without Secure', async () => {
      assert.equal(
        (await bench().ask('/set')).field('set-cookie'),
        'a=1; Path=/; Secure; HttpOnly; SameSite=None; Partitioned',
      );
      assert.match((await bench().ask('/clear')).field('set-cookie') ?? '', /Max-Age=0;.* Partitioned$/);
      const refusedCookie = await bench().ask('/insecure', { headers: { accept: 'application/json' } });
      assert.equal(refusedCookie.status, 500);
    });
  },
);
