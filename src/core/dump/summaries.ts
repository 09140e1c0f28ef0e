import { isProxy } from 'node:util/types';
import type { Member } from './members.js';
import { classNameOf, findData, functionName } from './read-data.js';
import { hidePathValues } from './redaction/redact-url.js';
import type { Redactor } from './redaction/create-redactor.js';

/** A well-known object on one line, with its most relevant members. */
export interface Summary {
  readonly text: string;
  readonly members: Member[];
}

/** Returns a summary if the object has its kind's fields; otherwise undefined. */
type Summarise = (value: object, redactor: Redactor) => Summary | undefined;

/**
 * Summarises requests, responses, applications, connections and database clients, whose own fields are implementation
 * details. Reads data properties only: the only code it runs are getters of Node's `Request` and `Response` and Hono's
 * context. Undefined for other objects.
 */
export function summariseObject(value: object, redactor: Redactor): Summary | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) return undefined;
  if (prototype === Object.prototype) return summarisePlain(value);
  for (const summarise of kindsOf(prototype)) {
    const found = summarise(value, redactor);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Maximum characters of an address or a name in a summary. */
const maxTextLength = 500;
const maxMembers = 12;
const maxPrototypes = 10;

/** The kinds of the classes in a prototype chain, which all objects of a class share. */
const kindsByPrototype = new WeakMap<object, readonly Summarise[]>();

function kindsOf(prototype: object): readonly Summarise[] {
  const before = kindsByPrototype.get(prototype);
  if (before !== undefined) return before;
  const found: Summarise[] = [];
  let isOfClass = false;
  let at: object | null = prototype;
  for (let step = 0; at !== null && !isProxy(at) && step < maxPrototypes; step++) {
    const maker: unknown = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
    const name = typeof maker === 'function' ? functionName(maker) : '';
    const kind = kinds.get(name);
    if (kind !== undefined) found.push(kind);
    isOfClass ||= name !== '' && name !== 'Object';
    at = Object.getPrototypeOf(at) as object | null; // typed as any by the library
  }
  // Koa creates its objects from other objects, without a class.
  if (!isOfClass) found.push(summariseKoa, summarisePlain);
  kindsByPrototype.set(prototype, found);
  return found;
}

const kinds: ReadonlyMap<string, Summarise> = new Map<string, Summarise>([
  [
    'IncomingMessage',
    (value, redactor) => summariseMessage(value, redactor) ?? summariseAnswer(value, redactor),
  ],
  ['ServerResponse', summariseServerResponse],
  ['ClientRequest', summariseClientRequest],
  ['Request', (value, redactor) => summariseFastify(value, redactor) ?? summariseWebRequest(value, redactor)],
  ['Reply', (value, redactor) => within(value, 'raw', redactor)],
  ['Response', summariseWebResponse],
  ['Hono', (value) => summariseApplication(value, { name: 'Hono', list: 'routes', unit: 'route' })],
  [
    'Application',
    (value) => summariseApplication(value, { name: 'Koa', list: 'middleware', unit: 'middleware' }),
  ],
  ['H3', (value) => summariseApplication(value, { name: 'H3', list: '~routes', unit: 'route' })],
  ['HonoRequest', (value, redactor) => within(value, 'raw', redactor)],
  ['Context', summariseHonoContext],
  ['ExecutionContextHost', summariseNestContext],
  ['H3Event', (value, redactor) => within(findObject(value, 'node') ?? value, 'req', redactor)],
  ['HttpRequest', summariseHttpRequest],
  ['HttpResponse', summariseHttpResponse],
  ['Socket', (value) => (findData(value, 'connecting') === undefined ? undefined : bare(value))],
  ['Server', (value) => (findData(value, 'allowHalfOpen') === undefined ? undefined : bare(value))],
  ['Client', summarisePgClient],
  ['Pool', (value, redactor) => summarisePgPool(value, redactor) ?? summariseMysqlPool(value, redactor)],
  ['Connection', summariseMysqlConnection],
  ['Commander', summariseIoredis],
  ['PromisePool', (value, redactor) => within(value, 'pool', redactor)],
  ['PromiseConnection', (value, redactor) => within(value, 'connection', redactor)],
  ['RedisClient', () => ({ text: 'Redis client', members: [] })],
  ['MongoClient', bare],
]);

/** An object that is described by its class alone. */
function bare(value: object): Summary {
  return { text: classNameOf(value), members: [] };
}

/** An application with a list of its parts. */
function summariseApplication(
  value: object,
  {
    name,
    list,
    unit,
  }: { readonly name: string; readonly list: string; readonly unit: 'route' | 'middleware' },
): Summary | undefined {
  const count = lengthOf(findData(value, list));
  if (count === undefined) return undefined;
  const plural = unit === 'route' && count !== 1 ? 's' : '';
  return { text: `${name} application · ${count} ${unit}${plural}`, members: [] };
}

/** Methods that only this kind of application has together. Fastify, H3 and lookback create theirs without a class. */
const plainApplications: readonly (readonly [name: string, members: readonly string[]])[] = [
  ['Fastify application', ['decorateRequest', 'addContentTypeParser', 'inject']],
  ['lookback application', ['kernel', 'extensions', 'runCommand']],
  ['H3 application', ['stack', 'resolve', 'handler', 'use']],
];

/** An application that is not an instance of a class. */
function summarisePlain(value: object): Summary | undefined {
  const found = plainApplications.find(([, [first = '', ...rest]]) => {
    // The first one decides for nearly all objects, because few are applications.
    return findData(value, first) !== undefined && rest.every((key) => findData(value, key) !== undefined);
  });
  return found && { text: found[0], members: [] };
}

/** Summarises an object by an object that it wraps. */
function within(value: object, key: string, redactor: Redactor): Summary | undefined {
  const inner = findObject(value, key);
  return inner === undefined ? undefined : summariseObject(inner, redactor);
}

/** Request fields added by Node and frameworks, which are not part of the request as sent. */
const ownFields: ReadonlySet<string> = new Set(
  (
    'socket httpVersionMajor httpVersionMinor httpVersion complete rawHeaders rawTrailers joinDuplicateHeaders aborted upgrade ' +
    'url method statusCode statusMessage client res next baseUrl originalUrl params query body route app log secret cookies ' +
    'signedCookies sessionStore headers trailers connection'
  ).split(' '),
);

/** A request received by a Node server, including additions by Express and its middleware. */
function summariseMessage(value: object, redactor: Redactor): Summary | undefined {
  const method = findData(value, 'method');
  const url = findText(value, 'originalUrl') ?? findText(value, 'url');
  if (typeof method !== 'string' || url === undefined) return undefined;
  const added: Member[] = [];
  for (const key of Object.keys(value)) {
    if (ownFields.has(key) || key.startsWith('_') || added.length >= maxMembers) continue;
    const field = findData(value, key);
    if (field !== undefined && typeof field !== 'function') added.push(member(key, field));
  }
  const parts = { method, url, params: findData(value, 'params') };
  return describeRequest({ ...parts, body: findData(value, 'body'), added, ...bodyOf(value) }, redactor);
}

/** Whether a request's headers announce a body; undefined if it has no readable headers. */
function bodyOf(value: object): { readonly hasBody?: boolean } {
  const raw = findData(value, 'rawHeaders');
  if (!Array.isArray(raw) || isProxy(raw)) return {};
  for (let at = 0; at < Math.min(raw.length, 400); at += 2) {
    const name: unknown = findData(raw, at);
    if (typeof name !== 'string') continue;
    if (/^transfer-encoding$/i.test(name)) return { hasBody: true };
    if (/^content-length$/i.test(name)) return { hasBody: findData(raw, at + 1) !== '0' };
  }
  return { hasBody: false };
}

interface RequestParts {
  readonly method: string;
  readonly url: string;
  readonly params?: unknown;
  readonly body?: unknown;
  /** Undefined if unknown. */
  readonly hasBody?: boolean;
  readonly added?: readonly Member[];
}

/** Describes a request as `GET /products/abc · no body`, with its parameters and its body as members. */
function describeRequest(
  { method, url, params, body, hasBody, added = [] }: RequestParts,
  redactor: Redactor,
): Summary {
  const [path = '', rest = ''] = redactor
    .url(hideSecrets(url.slice(0, maxTextLength), params, redactor))
    .split(/\?(.*)/s);
  // Taken from the URL rather than the framework: whether a parameter is secret can depend on the others.
  const query = Object.fromEntries(new URLSearchParams(rest));
  const words = [`${method.slice(0, 20)} ${path}`];
  if (body === undefined && hasBody !== undefined) words.push(hasBody ? 'with a body' : 'no body');
  const members = [
    ...(isFilled(params) ? [member('params', params)] : []),
    ...(isFilled(query) ? [member('query', query)] : []),
    ...(body === undefined ? [] : [member('body', body)]),
    ...added,
  ];
  return { text: redactor.text(words.join(' · ')), members };
}

/** Hides the values of secret parameters (`/reset/{token}`) in the path. */
function hideSecrets(url: string, params: unknown, redactor: Redactor): string {
  if (typeof params !== 'object' || params === null || isProxy(params)) return url;
  const secrets = Object.keys(params)
    .filter((name) => redactor.isSecretName(name))
    .map((name) => findData(params, name));
  return hidePathValues(
    url,
    secrets.filter((text) => typeof text === 'string'),
  );
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (isProxy(value) || Object.keys(value).length > 0);
}

/** A response received by a Node client. */
function summariseAnswer(value: object, redactor: Redactor): Summary | undefined {
  const status = findData(value, 'statusCode');
  if (typeof status !== 'number') return undefined;
  const asked = within(value, 'req', redactor)?.text;
  const head = `${status} ${findText(value, 'statusMessage') ?? ''}`.trim();
  return { text: redactor.text([head, ...(asked === undefined ? [] : [asked])].join(' · ')), members: [] };
}

function summariseServerResponse(value: object): Summary | undefined {
  const [status, isEnded] = [findData(value, 'statusCode'), findData(value, 'finished')];
  if (typeof status !== 'number' || typeof isEnded !== 'boolean') return undefined;
  const locals = findOwn(value, 'locals');
  return {
    text: `status ${status} · ${isEnded ? 'ended' : 'not ended yet'}`,
    members: isFilled(locals) ? [member('locals', locals)] : [],
  };
}

function summariseClientRequest(value: object, redactor: Redactor): Summary | undefined {
  const [method, path] = [findText(value, 'method'), findText(value, 'path') ?? pathBehindGetter(value)];
  if (method === undefined) return undefined;
  const host = findText(value, 'host');
  const [at, to] = [
    path === undefined ? '' : ` ${redactor.url(path)}`,
    host === undefined ? '' : ` · to ${host}`,
  ];
  return { text: redactor.text(`${method}${at}${to}`), members: [] };
}

/** Node 24 has a getter for the path, which is stored under a separate symbol. */
function pathBehindGetter(value: object): string | undefined {
  const key = Object.getOwnPropertySymbols(value).find(({ description }) => description === 'kPath');
  const path: unknown = key && Object.getOwnPropertyDescriptor(value, key)?.value;
  return typeof path === 'string' ? path.slice(0, maxTextLength) : undefined;
}

/** A Fastify request, which has Node's request in `raw`. */
function summariseFastify(value: object, redactor: Redactor): Summary | undefined {
  const raw = findObject(value, 'raw');
  const [method, url] = raw === undefined ? [] : [findText(raw, 'method'), findText(raw, 'url')];
  if (raw === undefined || method === undefined || url === undefined) return undefined;
  const [params, body] = [findOwn(value, 'params'), findOwn(value, 'body')];
  return describeRequest({ method, url, params, body: body ?? undefined, ...bodyOf(raw) }, redactor);
}

/** A Koa context, request or response: an object with Node's `req` and `res`, and the application. */
function summariseKoa(value: object, redactor: Redactor): Summary | undefined {
  const [req, res, app] = ['req', 'res', 'app'].map((key) => findObject(value, key));
  if (req === undefined || res === undefined || app === undefined || !Object.hasOwn(value, 'req'))
    return undefined;
  const isResponse = Object.hasOwn(value, 'request') && !Object.hasOwn(value, 'response');
  if (isResponse) return summariseServerResponse(res);
  const [method, url] = [findText(req, 'method'), findText(value, 'originalUrl') ?? findText(req, 'url')];
  if (method === undefined || url === undefined) return undefined;
  const context = findObject(value, 'ctx') ?? value;
  const body = findOwn(findObject(context, 'request') ?? value, 'body');
  const [params, state] = [findOwn(context, 'params'), findOwn(value, 'state')];
  const added = isFilled(state) ? [member('state', state)] : [];
  return describeRequest({ method, url, params, body, added, ...bodyOf(req) }, redactor);
}

/** The framework's request: its source is Node's, or has the fields itself. */
function summariseHttpRequest(value: object, redactor: Redactor): Summary | undefined {
  const source = findObject(value, 'source');
  if (source === undefined) return undefined;
  const message = findObject(findObject(source, 'reply') ?? {}, 'req');
  if (message !== undefined) return summariseMessage(message, redactor);
  const [method, url] = [findText(source, 'method'), findText(source, 'target')];
  return method === undefined || url === undefined ? undefined : describeRequest({ method, url }, redactor);
}

function summariseHttpResponse(value: object): Summary | undefined {
  const [status, body] = [findData(value, 'status'), findOwn(value, 'body')];
  if (typeof status !== 'number') return undefined;
  return {
    text: `status ${status}`,
    members: body === null || body === undefined ? [] : [member('body', body)],
  };
}

/** A Hono context, which keeps its request and its variables in private fields, behind getters. */
function summariseHonoContext(value: object, redactor: Redactor): Summary | undefined {
  const request = readGetter(
    value,
    'req',
    /^get req\(\) \{\s{0,40}this\.#req \?\?= new HonoRequest\(this\.#/,
  );
  const text = typeof request === 'object' && request !== null && summariseObject(request, redactor)?.text;
  if (typeof text !== 'string') return undefined;
  const variables = readGetter(
    value,
    'var',
    /^get var\(\) \{\s{0,40}if \(!this\.#var\) \{?\s{0,40}return \{\};/,
  );
  return { text, members: isFilled(variables) ? [member('var', variables)] : [] };
}

/** A Nest execution context: the method that handles the request, and its arguments. */
function summariseNestContext(value: object, redactor: Redactor): Summary | undefined {
  const args = findData(value, 'args');
  if (!Array.isArray(args) || isProxy(args)) return undefined;
  const [owner, handler] = ['constructorRef', 'handler'].map((key) => {
    const found = findData(value, key);
    return typeof found === 'function' ? functionName(found) : '';
  });
  const called = [owner, handler].filter((name) => name !== undefined && name !== '').join('.');
  const type = findText(value, 'contextType');
  const first: unknown = type === 'http' ? findData(args, 0) : undefined;
  const request =
    typeof first === 'object' && first !== null && !isProxy(first)
      ? summariseObject(first, redactor)
      : undefined;
  const words = [called, request?.text ?? type].filter((word) => word !== undefined && word !== '');
  return { text: words.join(' · '), members: request?.members ?? [member('args', args)] };
}

function summariseWebRequest(value: object, redactor: Redactor): Summary | undefined {
  const [method, url] = [readOfNode(value, 'method'), readOfNode(value, 'url')];
  if (typeof method !== 'string' || typeof url !== 'string') return undefined;
  const words =
    readOfNode(value, 'bodyUsed') === true
      ? [`${method} ${redactor.url(url)}`, 'body read']
      : [`${method} ${redactor.url(url)}`];
  return { text: redactor.text(words.join(' · ').slice(0, maxTextLength)), members: [] };
}

function summariseWebResponse(value: object, redactor: Redactor): Summary | undefined {
  const [status, words, url, isRead] = ['status', 'statusText', 'url', 'bodyUsed'].map((key) =>
    readOfNode(value, key),
  );
  if (typeof status !== 'number') return undefined;
  const head = typeof words === 'string' && words !== '' ? `${status} ${words}` : String(status);
  const from = typeof url === 'string' && url !== '' ? [redactor.url(url)] : [];
  const text = [head, ...from, isRead === true ? 'body read' : 'body not read'].join(' · ');
  return { text: redactor.text(text.slice(0, maxTextLength)), members: [] };
}

/**
 * Reads a getter of `Request` or `Response` if it is Node's: its source text shows that it checks the object itself.
 */
function readOfNode(value: object, name: string): unknown {
  return readGetter(value, name, /^get \w{1,20}\(\) \{\s{0,40}webidl\.brandCheck\(this, /);
}

/** Reads a getter whose source text shows that it is a known one, without effects; otherwise undefined. */
function readGetter(value: object, name: string, known: RegExp): unknown {
  let at: object | null = value;
  for (let step = 0; at !== null && !isProxy(at) && step < maxPrototypes; step++) {
    const getter: unknown = Reflect.get(Object.getOwnPropertyDescriptor(at, name) ?? {}, 'get');
    if (typeof getter === 'function' && !isProxy(getter)) {
      try {
        return known.test(writtenText(getter)) ? (Reflect.apply(getter, value, []) as unknown) : undefined; // typed as any by the library
      } catch {
        return undefined; // an instance of another class
      }
    }
    at = Object.getPrototypeOf(at) as object | null; // typed as any by the library
  }
  return undefined;
}

/** The beginning of a function's source text, regardless of its own `toString`. */
function writtenText(of: object): string {
  // oxlint-disable-next-line typescript/unbound-method -- called on the given function
  return String(Reflect.apply(Function.prototype.toString, of, [])).slice(0, 200);
}

/** A `pg` client. */
function summarisePgClient(value: object, redactor: Redactor): Summary | undefined {
  if (findObject(value, 'connectionParameters') === undefined) return undefined;
  const isConnected = findData(value, '_connected') === true;
  const state = findData(value, '_ended') === true ? 'ended' : isConnected ? 'connected' : 'not connected';
  return { text: redactor.text(`PostgreSQL client · ${serverOf(value)} · ${state}`), members: [] };
}

function summarisePgPool(value: object, redactor: Redactor): Summary | undefined {
  const options = findObject(value, 'options');
  const [clients, idle, pending] = ['_clients', '_idle', '_pendingQueue'].map((key) =>
    lengthOf(findData(value, key)),
  );
  if (options === undefined || clients === undefined || idle === undefined || pending === undefined)
    return undefined;
  const max = findData(options, 'max');
  const used = `${clients - idle}${typeof max === 'number' ? ` of ${max}` : ''} in use`;
  const parts = [serverOf(options), used, ...(pending > 0 ? [`${pending} waiting`] : [])];
  return { text: redactor.text(`PostgreSQL pool · ${parts.join(' · ')}`), members: [] };
}

function summariseMysqlPool(value: object, redactor: Redactor): Summary | undefined {
  const config = findObject(findObject(value, 'config') ?? {}, 'connectionConfig');
  return config && { text: redactor.text(`MySQL pool · ${serverOf(config)}`), members: [] };
}

function summariseMysqlConnection(value: object, redactor: Redactor): Summary | undefined {
  const config = findObject(value, 'config');
  if (config === undefined || findText(config, 'host') === undefined) return undefined;
  return { text: redactor.text(`MySQL connection · ${serverOf(config)}`), members: [] };
}

/** An `ioredis` client. */
function summariseIoredis(value: object, redactor: Redactor): Summary | undefined {
  const [options, status] = [findObject(value, 'options'), findText(value, 'status')];
  if (options === undefined || status === undefined) return undefined;
  const db = findData(options, 'db');
  const database = typeof db === 'number' ? `/${db}` : '';
  return { text: redactor.text(`Redis client · ${serverOf(options)}${database} · ${status}`), members: [] };
}

/** Returns `shop on 127.0.0.1:5432`, as far as it is known. */
function serverOf(options: object): string {
  const [database, host] = [findText(options, 'database'), findText(options, 'host')];
  const port = findData(options, 'port');
  const server = (host ?? '') + (typeof port === 'number' || typeof port === 'string' ? `:${port}` : '');
  return (
    [database, server].filter((part) => part !== undefined && part !== '').join(' on ') || 'default server'
  );
}

function lengthOf(list: unknown): number | undefined {
  return Array.isArray(list) ? list.length : undefined; // safe to read: an array's length is never an accessor
}

function findObject(holder: object, key: string): object | undefined {
  const found = findData(holder, key);
  return typeof found === 'object' && found !== null && !isProxy(found) ? found : undefined;
}

function findText(holder: object, key: string): string | undefined {
  const found = findData(holder, key);
  return typeof found === 'string' && found !== '' ? found.slice(0, maxTextLength) : undefined;
}

function findOwn(holder: object, key: string): unknown {
  const found = Object.getOwnPropertyDescriptor(holder, key);
  return found !== undefined && 'value' in found ? (found.value as unknown) : undefined; // typed as any by the library
}

function member(key: string, value: unknown): Member {
  return { key, kind: 'property', value };
}
