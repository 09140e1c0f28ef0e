import { requestRoute } from '#core/http';
import { followResult } from '#core/patches';
import { registerSpan } from '#profiler';
import { type Exchange, findExchange } from './exchange.js';
import { findFunctionLocation } from './function-location.js';

/** A framework's route, with its pattern as written: `/users/:id`. */
interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly name?: string | undefined;
}

export function noteRoute(exchange: Exchange, route: RouteFacts, parameters: unknown): void {
  const { path } = route;
  const name = nameOfRoute(route);
  if (name === undefined) return;
  const isRecord = typeof parameters === 'object' && parameters !== null;
  exchange.route = { name, path };
  exchange.request.scope.set(requestRoute, { name, path, parameters: {} });
  exchange.recording.route(exchange.route, isRecord ? (parameters as Record<string, unknown>) : {}); // an object; its values are dumped without running getters
}

/** Returns the name of a route in records; undefined for a path that matches everything. */
export function nameOfRoute({ method, path, name = `${method} ${path}` }: RouteFacts): string | undefined {
  return matchesAll(path) ? undefined : name;
}

/** Returns a router's mount path, from `request.baseUrl`. Sails prepends the origin, which is removed. */
export function mountPath(baseUrl: unknown): string {
  if (typeof baseUrl !== 'string') return '';
  const path = baseUrl.replace(/^[a-z]{1,10}:\/\/[^/]{0,300}/i, '');
  return path.startsWith('/') && path !== '/' ? path : '';
}

/**
 * Returns whether a path matches everything and thus names no route: frameworks with their own routes are mounted
 * there.
 */
function matchesAll(path: string): boolean {
  return /^\/?(?:\*+\w*|\{\*\w+\}|\(\.\*\)|\.\*\/?|\(\[\^\/\]\*\)|:\w+\(\.\*\)\*?)$/.test(path);
}

export function noteHandler(
  exchange: Exchange,
  route: RouteFacts & { readonly handler: unknown; readonly parameters: unknown },
): string {
  noteRoute(exchange, route, route.parameters);
  const name = nameOfHandler(route.handler, `${route.method} ${route.path}`);
  noteController(exchange, name, route.handler);
  return name;
}

/** Records the name of the responding function, and where it is declared. */
export function noteController(exchange: Exchange, name: string, handler: unknown): void {
  exchange.controller = name;
  exchange.recording.controller({ name, location: () => findFunctionLocation(handler) }, []);
}

/** Returns a handler's name without `bound` prefixes; the fallback if it has none. */
export function nameOfHandler(handler: unknown, fallback: string): string {
  const name: unknown = typeof handler === 'function' ? handler.name : undefined;
  if (typeof name !== 'string' || name === '') return fallback;
  return name.startsWith('bound ') ? name.replace(/^(?:bound )+/, '') || fallback : name;
}

/** The exchange whose handler has just thrown, until the callback ends, which is when Node reports the error. */
let thrower: Exchange | undefined;

/**
 * Runs a handler, and records an error that no one catches. Does not catch it, because Node prints the line that threw
 * last.
 */
export function noteUncaught<Result>(exchange: Exchange, work: () => Result): Result {
  let isDone = false;
  try {
    const result = work();
    isDone = true;
    return result;
  } finally {
    if (!isDone) expectError(exchange);
  }
}

function expectError(exchange: Exchange): void {
  if (thrower === undefined) {
    process.once('uncaughtExceptionMonitor', note);
    process.nextTick(() => {
      thrower = undefined;
      process.off('uncaughtExceptionMonitor', note);
    });
  }
  thrower = exchange;
}

function note(error: unknown): void {
  thrower?.uncaught(error);
}

/** A function that a framework runs for a request, with any parameters. */
export type Middleware = (...args: never[]) => unknown;

/** Original → timed wrapper, and wrapper → itself. */
const timed = new WeakMap<Middleware, Middleware>();

/** Returns a proxy of a middleware that records its time and errors. `messageOf` finds Node's request. */
export function timeMiddleware<Context>(
  middleware: Middleware,
  messageOf: (context: Context) => object | undefined,
  category: 'middleware' | 'controller' = 'middleware',
): Middleware {
  const known = timed.get(middleware);
  if (known !== undefined) return known;
  // Koa's router middleware has no name.
  const unnamed = 'router' in middleware ? 'router' : category === 'middleware' ? category : 'handler';
  const name = nameOfHandler(middleware, unnamed);
  const kind = registerSpan({ name, category });
  const apply = (work: Middleware, self: unknown, args: [Context, ...never]): unknown => {
    const message = messageOf(args[0]);
    const exchange = message === undefined ? undefined : findExchange(message);
    if (exchange === undefined) return Reflect.apply(work, self, args);
    return runTimed(exchange, kind, () => Reflect.apply(work, self, args));
  };
  const proxy = new Proxy(middleware, { apply });
  timed.set(middleware, proxy).set(proxy, proxy);
  return proxy;
}

/** Runs work with a timeline bar that ends when its promise settles; records errors. */
export function runTimed<Result>(exchange: Exchange, kind: number, work: () => Result): Result {
  const bar = exchange.enter(kind);
  return followResult(work, {
    done: () => exchange.leave(bar),
    failed(error) {
      exchange.leave(bar, 'failed');
      exchange.error(error);
    },
  });
}
