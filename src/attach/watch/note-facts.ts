import type { Exchange } from './exchange.js';

/** A route of a framework, with its pattern as written: `/users/:id`. */
interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly name?: string | undefined;
}

/** Records the route that answers. */
export function noteRoute(exchange: Exchange, route: RouteFacts, parameters: unknown): void {
  const { path, name = `${route.method} ${path}` } = route;
  const isRecord = typeof parameters === 'object' && parameters !== null;
  exchange.route = { name, path };
  exchange.recording.route(exchange.route, isRecord ? (parameters as Record<string, unknown>) : {}); // an object; its values are dumped without running getters
}

/** Records the route and the function that answers; returns the name of the function. */
export function noteHandler(
  exchange: Exchange,
  route: RouteFacts & { readonly handler: unknown; readonly parameters: unknown },
): string {
  noteRoute(exchange, route, route.parameters);
  const name = nameOfHandler(route.handler, `${route.method} ${route.path}`);
  noteController(exchange, name);
  return name;
}

/** Records the name of the function that answers. */
export function noteController(exchange: Exchange, name: string): void {
  exchange.controller = name;
  exchange.recording.controller({ name }, []);
}

/** Returns the name of a handler without the prefix `bound`; the fallback if it has none. */
export function nameOfHandler(handler: unknown, fallback: string): string {
  const name: unknown = typeof handler === 'function' ? handler.name : undefined;
  if (typeof name !== 'string' || name === '') return fallback;
  return name.startsWith('bound ') ? name.replace(/^(?:bound )+/, '') || fallback : name;
}
