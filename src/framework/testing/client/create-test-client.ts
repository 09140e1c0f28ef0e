import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';
import {
  anything,
  checkOptions,
  checkValue,
  either,
  flag,
  namesTo,
  number,
  objectWith,
  type OptionsSchema,
  optionsSchema,
  type OptionType,
  text,
} from '#core/options';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type App, recordTokenOf } from '#framework/app';
import { requestActingUser, type RequestUser } from '#core/http';
import { requestEvent } from '#framework/kernel';
import { withoutBasePath } from '#core/routing';
import { CookieJar } from './cookie-jar.js';
import { TestCall, TestResponse } from './test-call.js';

/** A request without its method and path. At most one of `json`, `form` and `body` may be set. */
export interface TestRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
}

export const testRequestSchema: OptionsSchema<TestRequest> = optionsSchema<TestRequest>({
  headers: namesTo(text),
  query: namesTo(either(either(text, number()), flag)),
  json: anything<unknown>(),
  form: namesTo(text),
  body: anything<BodyInit>(),
});

export interface TestClientOptions {
  /** Header fields of every request; a request's own fields take precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The requests' origin. Default `http://localhost`. */
  readonly origin?: string;
}

export const testClientSchema: OptionsSchema<TestClientOptions> = optionsSchema<TestClientOptions>({
  headers: namesTo(text),
  origin: text,
});

/** Sends requests to an application without a socket. Keeps cookies like a browser; does not follow redirects. */
export interface TestClient {
  readonly cookies: CookieJar;
  get(path: string, request?: TestRequest): TestCall;
  post(path: string, request?: TestRequest): TestCall;
  put(path: string, request?: TestRequest): TestCall;
  patch(path: string, request?: TestRequest): TestCall;
  delete(path: string, request?: TestRequest): TestCall;
  request(method: string, path: string, request?: TestRequest): TestCall;
  /**
   * Returns a client that acts as this user without a login; access rules and voters apply as usual. An identifier, or
   * a user known to the firewall's provider, is loaded for each request; any other user is used unchanged. The returned
   * client has its own cookies.
   */
  actingAs(user: RequestUser | string): TestClient;
}

/**
 * Creates a client for tests. Throws `TESTING_IN_PRODUCTION` for an application that runs in production. Requests from
 * outside cannot act as a user: the acting user is only set in the scope of requests sent by this client.
 */
export function createTestClient(app: App, options: TestClientOptions = {}): TestClient {
  checkValue('createTestClient()', 'app', app, testedApp);
  checkOptions('createTestClient()', options, testClientSchema);
  if (app.configuration.env === 'prod') throw testingErrors.create('TESTING_IN_PRODUCTION', {});
  return clientFor(app, options, undefined);
}

const testedApp: OptionType<App> = objectWith('an application from createApp()', 'handle', 'fetch');

const table = {
  TESTING_IN_PRODUCTION: {
    message: 'A test client was created for an application in production mode.',
    fix: 'Run tests with NODE_ENV=test or APP_ENV=test, or set configuration.env to "test" in the createApp() options.',
  },
} as const;

export const testingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

type Acting = RequestUser | string;

/** A loopback peer, which may see records. */
const peer = { address: '127.0.0.1' };

/** The acting user of the request that is being started. */
const acting = new AsyncLocalStorage<Acting>();
const prepared = new WeakSet<App>(); // applications that have the listener

/** Adds the listener that sets the acting user, once per application. */
function prepare(app: App): void {
  if (prepared.has(app)) return;
  prepared.add(app);
  app.on(
    requestEvent,
    ({ request }) => {
      const user = acting.getStore();
      if (user !== undefined) request.scope.set(requestActingUser, user);
    },
    { name: 'test client', priority: 1024 },
  );
}

function clientFor(app: App, options: TestClientOptions, user: Acting | undefined): TestClient {
  const cookies = new CookieJar();
  const origin = options.origin ?? 'http://localhost';
  const send = async (method: string, path: string, request: TestRequest): Promise<TestResponse> => {
    const url = new URL(path, origin);
    const { basePath } = app.configuration;
    if (withoutBasePath(url.pathname, basePath) === undefined) url.pathname = basePath + url.pathname;
    for (const [name, value] of Object.entries(request.query ?? {}))
      url.searchParams.append(name, String(value));
    const headers = new Headers({ ...options.headers, ...request.headers });
    const jar = cookies.header(url.pathname, url.hostname);
    if (jar !== undefined && !headers.has('cookie')) headers.set('cookie', jar);
    // Sends Origin like a browser, because unsafe requests with cookies are only allowed from the application's own
    // pages.
    const isSafe = method === 'GET' || method === 'HEAD';
    if (jar !== undefined && !isSafe && !headers.has('origin') && !headers.has('sec-fetch-site'))
      headers.set('origin', url.origin);
    const body = bodyOf(request, headers);
    const web = new Request(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
    const response = await (user === undefined
      ? app.fetch(web, { peer })
      : acting.run(user, () => app.fetch(web, { peer })));
    for (const cookie of response.headers.getSetCookie()) cookies.keep(cookie, url.hostname);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const token = recordTokenOf(response);
    return new TestResponse({ response, bytes, token }, app.profiler);
  };
  const call =
    (method: string): TestClient['get'] =>
    (path, request = {}) => {
      checkOptions(`The test request ${method} ${path}`, request, testRequestSchema);
      return new TestCall(send(method, path, request));
    };
  return {
    cookies,
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
    request: (method, path, request) => call(method)(path, request),
    actingAs(other) {
      prepare(app);
      return clientFor(app, options, other);
    },
  };
}

function bodyOf({ json, form, body }: TestRequest, headers: Headers): BodyInit | undefined {
  if (json === undefined) return form === undefined ? body : new URLSearchParams(form);
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  return JSON.stringify(json);
}
