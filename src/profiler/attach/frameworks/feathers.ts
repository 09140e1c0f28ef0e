import type { Exchange } from '../watch/exchange.js';
import { noteController, noteRoute } from '../watch/note-facts.js';

/** What Feathers 5 keeps for a request on Express' request or Koa's context: the service, and the parameters of its path. */
interface FoundService {
  readonly service?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The context of a call of a service, once it is called: on Express' response or Koa's context. */
interface ServiceCall {
  readonly path?: unknown;
  readonly method?: unknown;
}

/** Records the route of the service that answers, and its method, as Feathers' own router has found them. */
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
  // Feathers adds the second path to each service, with this name.
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
