import type { RouteNote } from '#profiler';
import type { Exchange } from './exchange.js';

/** Routes are few; what makes them up as it goes must not fill the memory. */
const maxRoutes = 10_000;
const notes = new Map<string, RouteNote>(); // by the route's pattern

/** Notes which route answers, by its pattern as the framework writes it: `/users/:id`. */
export function noteRoute(
  { recording }: Exchange,
  route: { readonly method: string; readonly path: string; readonly name?: string | undefined },
  parameters: unknown,
): void {
  const name = route.name ?? `${route.method} ${route.path}`;
  const key = `${name}\n${route.path}`;
  let note = notes.get(key);
  if (note === undefined) {
    note = { name, path: route.path };
    if (notes.size < maxRoutes) notes.set(key, note);
  }
  const isRecord = typeof parameters === 'object' && parameters !== null;
  recording.route(note, isRecord ? (parameters as Record<string, unknown>) : {}); // an object, whose values are pictured and never run
}

/** Notes the route and the function that answers. */
export function noteHandler(
  exchange: Exchange,
  {
    handler,
    parameters,
    ...route
  }: Parameters<typeof noteRoute>[1] & { readonly handler: unknown; readonly parameters: unknown },
): string {
  noteRoute(exchange, route, parameters);
  const name = nameOfHandler(handler, `${route.method} ${route.path}`);
  exchange.recording.controller({ name }, []);
  return name;
}

/** The name of a handler: its own, else that of what it answers. */
export function nameOfHandler(handler: unknown, fallback: string): string {
  const name: unknown = typeof handler === 'function' ? handler.name : undefined;
  const plain = typeof name === 'string' ? name.replace(/^(?:bound )+/, '') : '';
  return plain === '' ? fallback : plain;
}
