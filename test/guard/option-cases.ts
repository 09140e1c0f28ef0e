import { EntitySchema, MikroORM } from '@mikro-orm/core';
import { LibSqlDriver } from '@mikro-orm/libsql';
import { fromWebRequest } from '#core/http';
import { createNodeServer } from '#core/http/node';
import * as attached from '../../src/attach.js';
import * as configuration from '../../src/configuration.js';
import * as controllers from '../../src/controller.js';
import * as express from '../../src/express.js';
import * as fastify from '../../src/fastify.js';
import * as h3 from '../../src/h3.js';
import * as hono from '../../src/hono.js';
import * as pages from '../../src/html.js';
import * as root from '../../src/index.js';
import * as instrumentation from '../../src/instrumentation.js';
import * as koa from '../../src/koa.js';
import * as locales from '../../src/locale.js';
import * as mcp from '../../src/mcp.js';
import * as nest from '../../src/nest.js';
import * as openapi from '../../src/openapi.js';
import * as persistence from '../../src/persistence.js';
import * as profiling from '../../src/profiler.js';
import * as routing from '../../src/routing.js';
import * as security from '../../src/security.js';
import * as testing from '../../src/testing.js';
import * as web from '../../src/web.js';
import { renderEvent } from '../../src/framework/web/event-stream.js';

/** Options with an unknown name. The type fits every options object. */
export type Wrong = never;

/** A call with misspelt options. */
export interface OptionCase {
  /** The exported functions that take these options; with their entry if several have the same name. */
  readonly of: readonly string[];
  /** How the error names the function: `cors()`. */
  readonly location: string;
  /** Passes the options to the function. It throws, or returns a promise that rejects. */
  readonly call: (wrong: Wrong) => unknown;
}

const noHandler = (): undefined => undefined;
const request = (): root.HttpRequest => fromWebRequest(new Request('http://localhost/'));
/** An application that records nothing. */
const anySchema: controllers.StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};
const app = (): root.App => root.createApp({ configuration: { env: 'test', profilerStore: 'off' } });
/** Initialises an ORM without a connection, with an entity that has the behaviours. */
const declare = async (behaviours: Wrong): Promise<void> => {
  const Article = new EntitySchema({
    name: 'CaseArticle',
    properties: { id: { type: 'integer', primary: true } },
  });
  persistence.defineBehaviours(Article, behaviours);
  const options = { driver: LibSqlDriver, dbName: ':memory:', connect: false, entities: [Article] };
  const orm = await MikroORM.init(persistence.withBehaviours(options));
  persistence.createPersistence({ orm });
};
/** A controller class with a decorated method. */
const register = (decorate: (method: object, key: string, descriptor: object) => unknown): root.App => {
  class Pages {
    show(): string {
      return '';
    }
  }
  decorate(
    Pages.prototype,
    'show',
    Object(Object.getOwnPropertyDescriptor(Pages.prototype, 'show')) as object,
  ); // it has one
  return app().register(Pages);
};

const one = (of: string, call: OptionCase['call'], location = `${of}()`): OptionCase => ({
  of: [of],
  location,
  call,
});

/** The package's functions, by how they are called with misspelt options. */
export const optionCases: readonly OptionCase[] = [
  // lookback
  one('createApp', (wrong) => root.createApp(wrong)),
  one('createApp', (wrong) => root.createApp({ limits: wrong }), 'createApp(): limits'),
  one('createCommand', (wrong) => root.createCommand('greet', wrong, noHandler), 'The command "greet"'),
  one('createLogger', (wrong) => root.createLogger(wrong)),
  one('defineEvent', (wrong) => root.defineEvent('a.b', wrong), 'The event a.b'),
  one(
    'kernelListener',
    (wrong: object) =>
      app().use({
        name: 'x',
        listeners: [root.kernelListener(root.requestEvent, noHandler, { name: 'x', priority: 0, ...wrong })],
      }),
    `The listener of ${root.requestEvent.name}`,
  ),
  one('app.fetch', (wrong) => app().fetch('/', wrong)),
  one('listen', (wrong) => app().listen(wrong)),
  one('app.group', (wrong: object) => app().group({ path: '/x', ...wrong }, noHandler), 'The group "/x"'),
  one('app.get', (wrong) => app().get('/x', () => 'x', wrong), 'The route "/x"'),
  ...Object.entries({
    Get: root.Get,
    Post: root.Post,
    Put: root.Put,
    Patch: root.Patch,
    Delete: root.Delete,
  }).map(([name, declareRoute]) =>
    one(name, (wrong) => register(declareRoute('/x', wrong)), 'The route "/x"'),
  ),
  one('Route', (wrong) => register(root.Route('/x', wrong)), 'The route "/x"'),
  one('HttpResponse', (wrong) => new root.HttpResponse('', wrong), 'a response'),
  one('HttpResponse.redirect', (wrong) => root.HttpResponse.redirect('/', wrong)),
  one(
    'response.setCookie',
    (wrong) => new root.HttpResponse('').setCookie('a', 'b', wrong),
    'setCookie("a")',
  ),
  one('request.openBody', (wrong) => request().openBody(wrong), 'openBody()'),
  one('HttpError', (wrong) => new root.HttpError(400, 'no', wrong), 'an HttpError'),
  one(
    'HttpRequest',
    (wrong) => fromWebRequest(new Request('http://localhost/'), { peer: wrong }),
    'The peer',
  ),
  one('createNodeServer', (wrong) =>
    createNodeServer({ handle: () => new root.HttpResponse(''), limits: wrong }).listen({ port: 0 }),
  ),
  // lookback/configuration, lookback/controller
  one('loadEnvironment', (wrong) => configuration.loadEnvironment(wrong)),
  one('queryParameter', (wrong) => controllers.queryParameter('page', wrong), 'queryParameter("page")'),
  one('requestBody', (wrong) => controllers.requestBody(anySchema, wrong)),
  one(
    'withSchemas',
    (wrong) => controllers.withSchemas(wrong, noHandler as Wrong),
    'The schemas of a controller',
  ),
  // lookback/routing
  one('compileRoutes', (wrong) => routing.compileRoutes(routing.createRoutes([]), wrong)),
  one('createRoutes', (wrong: object) => routing.createRoutes([{ path: '/x', ...wrong }]), 'The route "/x"'),
  one(
    'defineRoutes',
    (wrong: object) => routing.createRoutes(routing.defineRoutes([{ path: '/x', ...wrong }])),
    'The route "/x"',
  ),
  one(
    'RouteCollection.group',
    (wrong: object) => new routing.RouteCollection().group({ path: '/x', ...wrong }, []),
    'The group "/x"',
  ),
  one(
    'generateUrl',
    (wrong) =>
      routing.generateUrl(
        routing.compileRoutes(routing.createRoutes([{ path: '/', name: 'x' }])),
        'x',
        {},
        wrong,
      ),
    'url()',
  ),
  // lookback/persistence
  one('createPersistence', (wrong) => persistence.createPersistence(wrong)),
  one('withBehaviours', (wrong) => persistence.withBehaviours({}, wrong)),
  one('defineBehaviours', declare, 'The declaration of CaseArticle'),
  one('versionsOf', (wrong) => persistence.versionsOf({} as Wrong, {}, wrong)), // refused before it is used
  // lookback/html
  one('contentSecurityPolicy', (wrong) => pages.contentSecurityPolicy(wrong)),
  one('renderDocument', (wrong) => pages.renderDocument(pages.trustedHtml('x'), wrong)),
  // lookback/security
  one('accessToken', (wrong) => security.accessToken(wrong)),
  one('createLoginLinks', (wrong) => security.createLoginLinks(wrong)),
  one('createLoginThrottle', (wrong) => security.createLoginThrottle(wrong)),
  one('createLookupUserProvider', (wrong) => security.createLookupUserProvider(noHandler, wrong)),
  one('createMemoryExpiringStore', (wrong) => security.createMemoryExpiringStore(wrong)),
  one('createOAuthLogin', (wrong) => security.createOAuthLogin(wrong)),
  // Refused before the client is used.
  one('createPostgresExpiringStore', (wrong) => security.createPostgresExpiringStore({} as Wrong, wrong)),
  one('createRedisExpiringStore', (wrong) => security.createRedisExpiringStore({} as Wrong, wrong)),
  one('createSqliteExpiringStore', (wrong) => security.createSqliteExpiringStore({} as Wrong, wrong)),
  one('createSecurity', (wrong) => security.createSecurity(wrong)),
  one(
    'createSecurity',
    (wrong) => security.createSecurity({ sessions: wrong }),
    'createSecurity(): sessions',
  ),
  one('security.logIn', (wrong) =>
    security.createSecurity().logIn(request(), { identifier: 'ada', roles: [] }, wrong),
  ),
  one('createSignedCookies', (wrong) => security.createSignedCookies(wrong)),
  one('formLogin', (wrong) => security.formLogin(wrong)),
  one('httpBasic', (wrong) => security.httpBasic(wrong)),
  one('jsonLogin', (wrong) => security.jsonLogin(wrong)),
  one('isGranted', (wrong) => security.isGranted.of(wrong), 'isGranted'),
  // lookback/profiler
  one('createAccessGuard', (wrong) => profiling.createAccessGuard(wrong)),
  one('createProfiler', (wrong) => profiling.createProfiler(wrong)),
  ...(['limits', 'retention'] as const).map((name) =>
    one(
      'createProfiler',
      (wrong) => profiling.createProfiler({ store: 'memory:', [name]: wrong }),
      `createProfiler(): ${name}`,
    ),
  ),
  one('createProfilerPages', (wrong) => profiling.createProfilerPages(wrong)),
  one('openStore', (wrong) => profiling.openStore('memory:', wrong)),
  one('openStore', (wrong) => profiling.openStore('memory:', { retention: wrong }), 'openStore(): retention'),
  one('signSample', (wrong) => profiling.signSample('0123456789abcdef0123456789abcdef', wrong)),
  // lookback/testing, lookback/locale
  one('createTestClient', (wrong) => testing.createTestClient(app(), wrong)),
  one(
    'TestClient.post',
    (wrong) => testing.createTestClient(app()).post('/x', wrong),
    'The test request POST /x',
  ),
  one('createCatalogue', (wrong) => locales.createCatalogue(wrong)),
  one('createLocale', (wrong) => locales.createLocale(wrong)),
  // lookback/web
  one('compression', (wrong) => web.compression(wrong)),
  one('cors', (wrong) => web.cors(wrong)),
  one('download', (wrong) => web.download(request(), 'package.json', wrong)),
  one('etag', (wrong) => web.etag(wrong)),
  one('eventStream', (wrong) => web.eventStream(request(), async function* () {}, wrong)),
  one('eventStream', (wrong) => renderEvent(wrong), 'an event of eventStream()'),
  one('health', (wrong) => web.health(wrong)),
  one('limitRate', (wrong) => web.limitRate(wrong)),
  one('rateLimit', (wrong) => web.rateLimit(wrong)),
  one('receiveUploads', (wrong) => web.receiveUploads(request(), wrong)),
  one('securityHeaders', (wrong) => web.securityHeaders(wrong)),
  one('staticFiles', (wrong) => web.staticFiles('.', wrong)),
  one('webSocket', (wrong) => web.webSocket(noHandler, wrong)),
  // lookback/openapi, lookback/mcp
  one('createOpenApiDocument', (wrong) => openapi.createOpenApiDocument(routing.createRoutes([]), wrong)),
  one(
    'describeRoutes',
    (wrong) => openapi.describeRoutes(routing.createRoutes([]), wrong),
    'createOpenApiDocument()',
  ),
  one('openApi', (wrong) => openapi.openApi(wrong)),
  one('createMcpController', (wrong) => mcp.createMcpController(wrong)),
  one('serveMcp', (wrong) => mcp.serveMcp(wrong)),
  // lookback/attach and the adapters
  one('attach', (wrong) => attached.attach({} as Wrong, wrong), 'lookback'), // refused before the server is watched
  ...Object.entries({ express, fastify, h3, hono, koa }).map(([name, { lookback }]) =>
    one(`lookback/${name}: lookback`, (wrong) => lookback(wrong), 'lookback'),
  ),
  one('LookbackModule.forRoot', (wrong) => nest.LookbackModule.forRoot(wrong), 'lookback'),
  // lookback/instrumentation
  one('mailFiles', (wrong) => instrumentation.mailFiles(wrong)),
  one('startInstrumentations', (wrong) => instrumentation.startInstrumentations(wrong)),
];
