import type { Exchange } from '../watch/exchange.js';
import { noteController, noteRoute } from '../watch/note-facts.js';

/** Data that Feathers 5 stores on Express's request or Koa's context: the service and its path parameters. */
interface FoundService {
  readonly service?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A service call's context, once called; stored on Express's response or Koa's context. */
interface ServiceCall {
  readonly path?: unknown;
  readonly method?: unknown;
}

/** Records the responding service's route and method, as found by Feathers' own router. */
export function noteFeathers(
  exchange: Exchange,
  method: string,
  { lookup, hook }: { readonly lookup: unknown; readonly hook: unknown },
): void {
  if (!isObject(lookup) || !isObject(hook)) return;
  const { service, params = {} }: FoundService = lookup;
  const { path, method: name }: ServiceCall = hook;
  if (typeof path !== 'string' || typeof name !== 'string' || !isObject(service)) return;
  const { __id: id, ...named } = params;
  const whole = `/${path.replace(/^\//, '')}`;
  // Feathers adds a second path with this name to each service.
  const route = { method, path: id === undefined ? whole : `${whole}/:__id` };
  noteRoute(exchange, route, id === undefined ? named : { ...named, __id: id });
  const Class: unknown = service.constructor;
  const isClass = typeof Class === 'function' && Class !== Object && Class.name !== '';
  const run: unknown = isClass ? Reflect.get(Object(Class.prototype), name) : Reflect.get(service, name);
  noteController(exchange, `${isClass ? Class.name : path}.${name}`, run);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
