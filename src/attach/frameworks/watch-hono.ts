import { replaceMethod } from '#patches';
import { type Exchange, findCurrentExchange } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';
import { type Middleware, timeMiddleware } from '../watch/timed-middleware.js';

/** A function that Hono runs, with its route: read when its turn comes. */
export type Turn = [run: Middleware, route: { method: string; path: string; handler: unknown }];

/**
 * Every router of the class whose prototype is given (`SmartRouter`, which an application has unless it chose another): what it
 * finds runs with its times, and the route is noted.
 */
export function watchHono(prototype: object): (() => void) | undefined {
  return replaceMethod<object>(prototype, 'match', (former, args, router) => {
    const found = Reflect.apply(former, router, args);
    // From now on it has the method of the router that it has chosen.
    replaceMethod(router, 'match', (own, asked) => follow(Reflect.apply(own, router, asked), asked));
    return follow(found, args);
  });
}

function follow(found: unknown, [method]: readonly unknown[]): unknown {
  const exchange = findCurrentExchange();
  if (exchange === undefined) return found;
  const turns = turnsOf(found);
  if (turns.length === 0) return found;
  for (const turn of turns) turn[0] = timeTurn(turn);
  const [list, stash] = found as [[unknown, Readonly<Record<string, unknown>>][], unknown]; // what turns were found in
  const places = list.at(-1)?.[1] ?? {};
  const parameters: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // foreign keys
  for (const name of Object.keys(places)) {
    const place = places[name];
    parameters[name] = typeof place === 'number' && Array.isArray(stash) ? stash[place] : place;
  }
  noteHonoRoute(exchange, turns, { method: String(method), parameters });
  return found;
}

/** The functions that a router has found for a request. */
export function turnsOf(found: unknown): readonly Turn[] {
  const list: unknown = Array.isArray(found) ? found[0] : undefined;
  const turns: Turn[] = [];
  if (!Array.isArray(list)) return turns;
  for (const [turn] of list as unknown[][]) if (isTurn(turn)) turns.push(turn); // of turns with their parameters
  return turns;
}

function isTurn(value: unknown): value is Turn {
  return Array.isArray(value) && typeof value[0] === 'function' && typeof value[1]?.path === 'string';
}

/** Those of middleware take all methods and end with a star. */
function isRoute([, { method, path }]: Turn): boolean {
  return method !== 'ALL' || !path.endsWith('*');
}

/** What runs in the turn, with its time. */
export function timeTurn(turn: Turn): Middleware {
  const messageOf = ({ env }: { env?: { incoming?: object } }): object | undefined => env?.incoming; // there on @hono/node-server
  return timeMiddleware(turn[0], messageOf, isRoute(turn) ? 'controller' : 'middleware');
}

/** The last route that matched is the one that answers. */
export function noteHonoRoute(
  exchange: Exchange,
  turns: readonly Turn[],
  { method, parameters }: { readonly method: string; readonly parameters: unknown },
): void {
  const route = turns.findLast(isRoute)?.[1];
  if (route === undefined) return;
  noteHandler(exchange, { method, path: route.path, handler: route.handler, parameters });
}
