import type { DeclaredRoute, DeclaredRoutes } from '#profiler';
import { nameOfRoute } from '../watch/note-facts.js';
import { declaredPathsOf, type PathLayer } from './mount-pattern.js';

/** An Express router layer, as far as it declares routes. */
interface StackLayer extends PathLayer {
  readonly name?: unknown;
  readonly handle?: unknown;
  readonly route?: { readonly path?: unknown; readonly methods?: Readonly<Record<string, unknown>> };
}

const maxDepth = 10;
/** More methods than an application would list itself; Node knows about 35. */
const manyMethods = 20;

/** Returns the routes in Express's router, and in the routers mounted in it. A mounted application hides its own. */
export function routesOfStack(stack: readonly unknown[], base = '', depth = 0): DeclaredRoutes {
  const parts = stack.map((layer): DeclaredRoutes => {
    const { route, handle, name } = layer as StackLayer; // all properties are optional
    const inner: unknown = typeof handle === 'function' ? Reflect.get(handle, 'stack') : undefined;
    if (route !== undefined) return { routes: routesOfLayer(route, base), isComplete: true };
    if (!Array.isArray(inner)) return { routes: [], isComplete: name !== 'mounted_app' };
    const paths = depth < maxDepth ? declaredPathsOf(layer as StackLayer) : undefined; // as above
    if (paths === undefined) return { routes: [], isComplete: false };
    return joined(paths.map((path) => routesOfStack(inner, base + path, depth + 1)));
  });
  return joined(parts);
}

function joined(parts: readonly DeclaredRoutes[]): DeclaredRoutes {
  return {
    routes: parts.flatMap(({ routes }) => routes),
    isComplete: parts.every(({ isComplete }) => isComplete),
  };
}

function routesOfLayer(
  { path, methods = {} }: NonNullable<StackLayer['route']>,
  base: string,
): DeclaredRoute[] {
  // Spelled as in records.
  const whole = [path]
    .flat()
    .map((one) => `${base}${String(one)}`)
    .join(', ');
  return declared(methods['_all'] === true ? ['ALL'] : Object.keys(methods), whole);
}

/** Returns a route per method, except HEAD if there is GET; none for a path where other routers are mounted. */
function declared(methods: readonly string[], path: string, name?: string): DeclaredRoute[] {
  // Frameworks declare a route for all methods once per method.
  const all = methods.length >= manyMethods ? ['ALL'] : methods.map((method) => method.toUpperCase());
  return all
    .filter((method) => method !== 'HEAD' || !all.includes('GET'))
    .flatMap((method) => {
      const shown = nameOfRoute({ method, path, name });
      return shown === undefined ? [] : [{ name: shown, path }];
    });
}

/** Returns the routes from all `@koa/router` routers in a Koa application's middleware. */
export function routesOfMiddleware(middleware: readonly unknown[]): DeclaredRoutes {
  const stacks = middleware.map((one): unknown => {
    const router: unknown = typeof one === 'function' ? Reflect.get(one, 'router') : undefined;
    return typeof router === 'object' && router !== null ? Reflect.get(router, 'stack') : undefined;
  });
  const layers = stacks.flatMap((stack): readonly unknown[] => (Array.isArray(stack) ? stack : []));
  const routes = layers.flatMap((layer) => {
    const { methods, path, name } = layer as { methods?: unknown; path?: unknown; name?: unknown }; // all properties are optional
    if (!Array.isArray(methods) || (typeof path !== 'string' && !(path instanceof RegExp))) return [];
    return declared(methods.map(String), String(path), typeof name === 'string' ? name : undefined);
  });
  // Any other middleware may contain a router, as `koa-mount`'s does.
  return { routes: unique(routes), isComplete: stacks.every(Array.isArray) };
}

/** Returns Fastify's routes. Those that only answer misses, or belong to another framework, have no URL. */
export function routesOfFastify(all: readonly unknown[]): DeclaredRoutes {
  const routes = all.flatMap((one) => {
    const { method, path, store } = one as { method?: unknown; path?: unknown; store?: object | null }; // all properties are optional
    const config: unknown = Reflect.get(store ?? {}, 'config');
    const url: unknown =
      typeof config === 'object' && config !== null ? Reflect.get(config, 'url') : undefined;
    return typeof url !== 'string' || typeof path !== 'string'
      ? []
      : declared([method].flat().map(String), url);
  });
  const withGet = new Set(routes.filter(({ name }) => name.startsWith('GET ')).map(({ path }) => path));
  const shown = routes.filter(({ name, path }) => name !== `HEAD ${path}` || !withGet.has(path));
  return { routes: unique(shown), isComplete: true };
}

/** Returns a route's path in a mounted application. */
export function pathBelow(base: string, path: string): string {
  return base !== '' && path === '/' ? base : base + path;
}

/** Returns the routes among Hono's router `add` calls. Middleware accepts all methods at a path with a star. */
export function routesOfHono(calls: readonly (readonly unknown[])[], base: string): DeclaredRoutes {
  const routes = calls.flatMap(([method, path]) =>
    typeof path !== 'string' || (method === 'ALL' && path.endsWith('*'))
      ? []
      : declared([String(method)], pathBelow(base, path)),
  );
  const isMounted = calls.some(([method, path]) => method === 'ALL' && /[^/]\/\*$/.test(String(path)));
  return { routes: unique(routes), isComplete: !isMounted };
}

/** Returns the routes in a hapi server's table. */
export function routesOfHapi(
  table: readonly { readonly method: string; readonly path: string }[],
): DeclaredRoutes {
  const routes = table.flatMap(({ method, path }) => declared([method === '*' ? 'ALL' : method], path));
  return { routes, isComplete: true };
}

function unique(routes: readonly DeclaredRoute[]): readonly DeclaredRoute[] {
  return [...new Map(routes.map((route) => [route.name, route])).values()];
}
