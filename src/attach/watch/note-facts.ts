import type { Exchange } from './exchange.js';

/** A route as a framework has it: its pattern as it is written, `/users/:id`. */
interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly name?: string | undefined;
}

/** Notes which route answers. */
export function noteRoute(exchange: Exchange, route: RouteFacts, parameters: unknown): void {
  const { path, name = `${route.method} ${path}` } = route;
  const isRecord = typeof parameters === 'object' && parameters !== null;
  exchange.route = { name, path };
  exchange.recording.route(exchange.route, isRecord ? (parameters as Record<string, unknown>) : {}); // an object, whose values are pictured and never run
}

/** Notes the route and the function that answers. */
export function noteHandler(
  exchange: Exchange,
  route: RouteFacts & { readonly handler: unknown; readonly parameters: unknown },
): string {
  noteRoute(exchange, route, route.parameters);
  const name = nameOfHandler(route.handler, `${route.method} ${route.path}`);
  noteController(exchange, name);
  return name;
}

/** Notes the name of the function that answers. */
export function noteController(exchange: Exchange, name: string): void {
  exchange.controller = name;
  exchange.recording.controller({ name }, []);
}

/** The name of a handler: its own, else that of what it answers. */
export function nameOfHandler(handler: unknown, fallback: string): string {
  const name: unknown = typeof handler === 'function' ? handler.name : undefined;
  if (typeof name !== 'string' || name === '') return fallback;
  return name.startsWith('bound ') ? name.replace(/^(?:bound )+/, '') || fallback : name;
}
