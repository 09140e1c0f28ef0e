import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, createCommand, defineEvent, Get, isCodedError } from 'lookback';
import { attach } from 'lookback/attach';
import { loadEnvironment } from 'lookback/configuration';
import {
  cookieValue,
  emptyForm,
  headerValue,
  queryParameter,
  readForm,
  requestBody,
  routeParameter,
  routeSchemas,
  toOneOf,
  validateValue,
  withSchemas,
} from 'lookback/controller';
import { createLocale } from 'lookback/locale';
import { createOpenApiDocument, openApi } from 'lookback/openapi';
import { createAccessGuard } from 'lookback/profiler';
import { compileRoutes, createRoutes } from 'lookback/routing';
import {
  createLoginLinks,
  createMemoryExpiringStore,
  createSecurity,
  formLogin,
  isGranted,
  jsonLogin,
} from 'lookback/security';
import { createTestClient } from 'lookback/testing';
import {
  compression,
  cors,
  etag,
  health,
  limitRate,
  rateLimit,
  securityHeaders,
  staticFiles,
  webSocket,
} from 'lookback/web';

const handler = (): string => 'hello';
const secret = 'a secret for the tests that is long enough';

/** JavaScript, a spread object or a settings file may pass options that TypeScript checks only in literals. */
const given = (options: unknown): never => options as never;

const testEvent = defineEvent<object>('test');

/** A call with a misspelt option, with the message that refuses it. */
const calls: readonly [message: string, call: () => unknown][] = [
  [
    'createApp() has no option "extentions". Did you mean "extensions"?',
    () => createApp(given({ extentions: [] })),
  ],
  [
    'createApp(): configuration has no option "trustedHost". Did you mean "trustedHosts"?',
    () => createApp({ configuration: given({ trustedHost: ['a.example'] }) }),
  ],
  [
    'createApp(): configuration: retention has no option "record". Did you mean "records"?',
    () => createApp({ configuration: { retention: given({ record: 1 }) } }),
  ],
  [
    'createApp(): limits has no option "bodys". Did you mean "body"?',
    () => createApp({ limits: given({ bodys: 1 }) }),
  ],
  [
    'createApp(): profiler: sample has no option "rates". Did you mean "rate"?',
    () => createApp({ profiler: { sample: given({ rates: 1 }) } }),
  ],
  [
    'The route "/a" has no option "method". Did you mean "methods"?',
    () => createApp().route(given({ path: '/a', method: 'POST', controller: handler })),
  ],
  [
    'The route "/a" has no option "method". Did you mean "methods"?',
    () => createApp({ routes: [given({ path: '/a', method: 'POST', controller: handler })] }),
  ],
  [
    'The route "/a" has no option "requirement". Did you mean "requirements"?',
    () => createApp().get('/a', handler, given({ requirement: {} })),
  ],
  [
    'The route "/a": operation has no option "sumary". Did you mean "summary"?',
    () => createApp().get('/a', handler, { operation: given({ sumary: 'x' }) }),
  ],
  [
    'The group "/a" has no option "arround". Did you mean "around"?',
    () => createApp().group(given({ path: '/a', arround: [] }), () => undefined),
  ],
  [
    'The route "/a" has no option "method". Did you mean "methods"?',
    () => {
      class Shop {
        a(): string {
          return 'a';
        }
      }
      Get('/a', given({ method: 'POST' }))(Shop.prototype, 'a', {
        value: Object.getOwnPropertyDescriptor(Shop.prototype, 'a')?.value,
      });
      createApp({ controllers: [Shop] });
    },
  ],
  [
    'The route "/a" has no option "method". Did you mean "methods"?',
    () => createRoutes([given({ path: '/a', method: 'GET' })]),
  ],
  [
    'The group "/a" has no option "hosts". Did you mean "host"?',
    () => createRoutes((routes) => void routes.group(given({ path: '/a', hosts: 'b' }), [])),
  ],
  [
    'compileRoutes() has no option "stricter". Did you mean "strict"?',
    () => compileRoutes(createRoutes(), given({ stricter: true })),
  ],
  [
    'The listener of test has no option "prioity". Did you mean "priority"?',
    () => createApp().on(testEvent, () => undefined, given({ prioity: 1 })),
  ],
  [
    'The command "run-it" has no option "desciption". Did you mean "description"?',
    () => createCommand('run-it', given({ desciption: 'x' }), () => 0),
  ],
  [
    'The command "run-it": options: to has no option "shorts". Did you mean "short"?',
    () =>
      createCommand(
        'run-it',
        { description: 'x', options: { to: given({ type: 'string', shorts: 't' }) } },
        () => 0,
      ),
  ],
  [
    'createSecurity() has no option "accessControll". Did you mean "accessControl"?',
    () => createSecurity(given({ accessControll: [{ path: '/admin', allow: 'ROLE_ADMIN' }] })),
  ],
  [
    'createSecurity(): accessControl[0] has no option "role".',
    () => createSecurity({ accessControl: [given({ path: '/admin', role: 'ROLE_ADMIN' })] }),
  ],
  [
    'createSecurity(): firewalls[1] has no option "paths". Did you mean "path"?',
    () => createSecurity({ firewalls: [{ name: 'a' }, given({ name: 'b', paths: '/b' })] }),
  ],
  [
    'createSecurity(): firewalls[0]: logout has no option "targets". Did you mean "target"?',
    () => createSecurity({ firewalls: [{ name: 'a', logout: given({ targets: '/' }) }] }),
  ],
  [
    'createSecurity(): firewalls[0]: throttle has no option "perUsers". Did you mean "perUser"?',
    () => createSecurity({ firewalls: [{ name: 'a', throttle: given({ perUsers: 1 }) }] }),
  ],
  [
    'createSecurity(): sessions has no option "idleSecond". Did you mean "idleSeconds"?',
    () => createSecurity({ sessions: given({ idleSecond: 1 }) }),
  ],
  [
    'createSecurity(): sessions: cookie has no option "samesite". Did you mean "sameSite"?',
    () => createSecurity({ sessions: { cookie: given({ samesite: 'strict' }) } }),
  ],
  [
    'createSecurity(): csrf has no option "trustedOrigin". Did you mean "trustedOrigins"?',
    () => createSecurity({ csrf: given({ trustedOrigin: [] }) }),
  ],
  [
    'formLogin() has no option "failurPath". Did you mean "failurePath"?',
    () => formLogin(given({ failurPath: '/' })),
  ],
  ['formLogin(): fields has no option "user".', () => formLogin({ fields: given({ user: 'x' }) })],
  ['jsonLogin() has no option "paths". Did you mean "path"?', () => jsonLogin(given({ paths: '/' }))],
  [
    'createLoginLinks() has no option "maxUse". Did you mean "maxUses"?',
    () => createLoginLinks(given({ secret, maxUse: 1 })),
  ],
  [
    'createMemoryExpiringStore() has no option "limits". Did you mean "limit"?',
    () => createMemoryExpiringStore(given({ limits: 1 })),
  ],
  [
    'isGranted has no option "atribute". Did you mean "attribute"?',
    () => isGranted.of(given({ atribute: 'ROLE_ADMIN' })),
  ],
  [
    'The schemas of a controller has no option "boddy". Did you mean "body"?',
    () => withSchemas<object>(given({ boddy: {} }), () => 'x'),
  ],
  [
    'The schemas of a controller has no option "boddy". Did you mean "body"?',
    () => routeSchemas.on(given({ boddy: {} })),
  ],
  [
    'queryParameter("q") has no option "defaults". Did you mean "default"?',
    () => queryParameter('q', given({ defaults: 1 })),
  ],
  [
    'cors() has no option "origin". Did you mean "origins"?',
    () => cors(given({ origin: ['https://a.example'] })),
  ],
  [
    'compression() has no option "treshold". Did you mean "threshold"?',
    () => compression(given({ treshold: 1 })),
  ],
  ['etag() has no option "path". Did you mean "paths"?', () => etag(given({ path: '/' }))],
  ['health() has no option "check". Did you mean "checks"?', () => health(given({ check: {} }))],
  [
    'rateLimit() has no option "path". Did you mean "paths"?',
    () => rateLimit(given({ limit: 1, window: 1, path: '/' })),
  ],
  ['limitRate() has no option "paths".', () => limitRate(given({ limit: 1, window: 1, paths: ['/'] }))],
  [
    'securityHeaders() has no option "header". Did you mean "headers"?',
    () => securityHeaders(given({ header: {} })),
  ],
  [
    'staticFiles() has no option "indexes". Did you mean "index"?',
    () => staticFiles('.', given({ indexes: false })),
  ],
  [
    'webSocket() has no option "origin". Did you mean "origins"?',
    () => webSocket(() => undefined, given({ origin: [] })),
  ],
  [
    'createLocale() has no option "rewrites". Did you mean "rewrite"?',
    () => createLocale(given({ enabled: ['en'], rewrites: true })),
  ],
  [
    'openApi() has no option "paths". Did you mean "path"?',
    () => openApi(given({ app: () => createApp(), info: { title: 'x', version: '1' }, paths: '/api.json' })),
  ],
  [
    'createOpenApiDocument() has no option "server". Did you mean "servers"?',
    () => createOpenApiDocument(createRoutes(), given({ info: { title: 'x', version: '1' }, server: [] })),
  ],
  [
    'createAccessGuard() has no option "peer". Did you mean "peers"?',
    () => createAccessGuard(given({ peer: [] })),
  ],
  [
    'lookback has no option "prefixx". Did you mean "prefix"?',
    () => attach({} as never, given({ prefixx: '/p' })),
  ],
  [
    'createTestClient() has no option "header". Did you mean "headers"?',
    () => createTestClient(createApp(), given({ header: {} })),
  ],
  [
    'loadEnvironment() has no option "folders". Did you mean "folder"?',
    () => loadEnvironment(given({ folders: '.' })),
  ],
];

/** The code and message of the error that a call throws. */
async function failureOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return isCodedError(error) ? `${error.code} ${error.message}` : `uncoded ${String(error)}`;
  }
  return 'taken';
}

describe('a misspelt option', () => {
  for (const [message, call] of calls) {
    it(`is refused when it is passed: ${message}`, async () => {
      const failure = await failureOf(call);
      assert.ok(failure.startsWith(`OPTIONS_UNKNOWN ${message}`), failure);
    });
  }
});

describe('createApp', () => {
  it('refuses options passed in place of their extension, which would protect nothing', async () => {
    for (const [option, value] of [
      ['security', { accessControl: [{ path: '/', allow: 'ROLE_ADMIN' }] }],
      ['locale', { enabled: ['de'] }],
      ['persistence', Promise.resolve({})],
      ['extensions', [cors]],
      ['extensions', [{}]],
    ] as const)
      assert.match(
        await failureOf(() => createApp(given({ [option]: value }))),
        /^FRAMEWORK_NOT_AN_EXTENSION The \w+ option of createApp\(\) contains a value that is not an extension/,
        option,
      );
  });
});

describe('a wrong argument of a function of controllers', () => {
  const app = createApp({ logHandlers: [] });
  app.get('/articles/{slug}', handler, { name: 'article' });
  const wrong: Readonly<Record<string, () => unknown>> = {
    'The handler argument of webSocket() is undefined.': () => webSocket(given(undefined)),
    'The schema argument of requestBody() is an object.': () => requestBody(given({})),
    'The name argument of routeParameter() is null.': () => routeParameter(given(null)),
    'The convert argument of routeParameter() is "int".': () => routeParameter('id', given('int')),
    'The name argument of queryParameter() is undefined.': () => queryParameter(given(undefined)),
    'The name argument of headerValue() is "".': () => headerValue(''),
    'The name argument of cookieValue() is 5.': () => cookieValue(given(5)),
    'The texts[0] argument of toOneOf() is a list.': () => toOneOf(given(['a', 'b'])),
    'The values argument of emptyForm() is null.': () => emptyForm(given(null)),
    'The name argument of url() is null.': () => app.url(given(null)),
    'The parameters argument of url() is null.': () => app.url('article', given(null)),
    'The options of url() must be an object, but a string was passed.': () =>
      app.url('article', { slug: 'a' }, given('absolute')),
    'url() has no option "typ". Did you mean "type"?': () =>
      app.url('article', { slug: 'a' }, given({ typ: 'absolute' })),
  };
  for (const [message, call] of Object.entries(wrong))
    it(`is refused: ${message}`, () => assert.throws(call, { name: 'CodedError', message }));

  it('is refused: a schema of validateValue() or readForm() that is none', async () => {
    const code = 'OPTIONS_BAD_VALUE';
    await assert.rejects(validateValue(given({}), 1), {
      code,
      message: /^The schema argument of validateValue/,
    });
    app.post('/form', ({ request }) =>
      readForm(request, given(null)).catch((error: unknown) => String(error)),
    );
    const answer = await app.fetch('/form', { method: 'POST', body: new URLSearchParams({ a: '1' }) });
    assert.match(await answer.text(), /The schema argument of readForm\(\) is null/);
  });
});
