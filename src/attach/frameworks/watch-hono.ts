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
  return replaceMethod(
    prototype,
    'match',
    (former) =>
      function match(this: unknown, ...args) {
        const found = Reflect.apply(former, this, args);
        // From now on it has the method of the router that it has chosen.
        replaceMethod(
          this as object, // called on a router
          'match',
          (own) =>
            (...asked) =>
              follow(Reflect.apply(own, this, asked), asked),
        );
        return follow(found, args);
      },
  );
}

function follow(found: unknown, [method]: readonly unknown[]): unknown {
  const exchange = findCurrentExchange();
  if (exchange === undefined) return found;
  const turns = turnsOf(found);
  for (const turn of turns) turn[0] = timeTurn(turn);
  const [last] = (found as [[unknown, Record<string, unknown>][]])[0].slice(-1); // what turns were found in
  const stash: unknown = Array.isArray(found) ? found[1] : undefined;
  const parameters = Object.entries(last?.[1] ?? {}).map(([name, value]) => [
    name,
    typeof value === 'number' && Array.isArray(stash) ? stash[value] : value,
  ]);
  noteHonoRoute(exchange, turns, { method: String(method), parameters: Object.fromEntries(parameters) });
  return found;
}

/** The functions that a router has found for a request. */
export function turnsOf(found: unknown): readonly Turn[] {
  const turns: unknown = Array.isArray(found) ? found[0] : undefined;
  return Array.isArray(turns) ? turns.flatMap(([turn]) => (isTurn(turn) ? [turn] : [])) : [];
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
  request: { readonly method: string; readonly parameters: unknown },
): void {
  const route = turns.findLast(isRoute)?.[1];
  if (route !== undefined) noteHandler(exchange, { ...request, path: route.path, handler: route.handler });
}
