import { replaceMethod, undoAll } from '#patches';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';
import { type Middleware, timeMiddleware } from '../watch/timed-middleware.js';

/** What an application of h3 has of its middleware: the list, and what it has made of it. */
interface H3App {
  '~middleware'?: Middleware[];
  '~dispatch'?: unknown;
  '~composed'?: unknown;
}

interface H3Route {
  readonly route?: string;
  readonly handler: Middleware;
}

/** What the router of h3 finds. */
interface H3Match {
  readonly data?: H3Route | undefined;
  readonly params?: unknown;
}

/** What is read of an event of h3 that srvx made on Node. */
export interface H3Event {
  readonly req: { readonly method: string };
  readonly runtime?: { readonly node?: { readonly req?: object } | undefined } | undefined;
}
/** Node's own request of an event. */
export const incomingOf = ({ runtime }: H3Event): object | undefined => runtime?.node?.req;

/** Applications of h3 whose middleware is timed in the place of their own. */
export class TimedApps {
  readonly #formers = new Map<H3App, Middleware[]>();

  /** Once for each middleware; `own` stays as it is. */
  time(app: H3App, own?: unknown): void {
    const list = app['~middleware'];
    const former = this.#formers.get(app) ?? [];
    if (list === undefined || former.length === list.length) return;
    this.#formers.set(app, [...former, ...list.slice(former.length)]);
    replaceList(
      app,
      list.map((one) => (one === own ? one : timeMiddleware(one, incomingOf))),
    );
  }

  restore(): void {
    for (const [app, former] of this.#formers)
      replaceList(app, [...former, ...(app['~middleware'] ?? []).slice(former.length)]);
    this.#formers.clear();
  }
}

function replaceList(app: H3App, list: Middleware[]): void {
  app['~middleware']?.splice(0, Infinity, ...list);
  app['~dispatch'] = app['~composed'] = undefined; // as h3 does where one is added
}

/** Every application of the `H3` whose prototype is given: middleware and handlers with their times, what they throw, and the route. */
export function watchH3(prototype: object): (() => void) | undefined {
  const apps = new TimedApps();
  const undo = replaceMethod<H3App>(prototype, '~findRoute', (former, args, app) => {
    const found = Reflect.apply(former, app, args) as H3Match | undefined; // of h3's router
    const [event] = args as [H3Event]; // its only argument
    const exchange = findExchange(incomingOf(event) ?? {});
    if (exchange === undefined) return found;
    apps.time(app);
    if (found?.data === undefined) return found;
    noteH3Route(exchange, event, found);
    return { ...found, data: timeRoute(found.data) };
  });
  return undoAll([undo, () => apps.restore()]);
}

/** Routes whose handler is timed, by those that they stand for. */
const timedRoutes = new WeakMap<H3Route, H3Route>();

function timeRoute(route: H3Route): H3Route {
  let timed = timedRoutes.get(route);
  if (timed === undefined) {
    timed = { ...route, handler: timeMiddleware(route.handler, incomingOf, 'controller') };
    timedRoutes.set(route, timed);
  }
  return timed;
}

/** Notes the route that a router has found, and its handler. */
export function noteH3Route(
  exchange: Exchange,
  { req: { method } }: H3Event,
  { data, params }: H3Match,
): void {
  if (data?.route === undefined) return;
  noteHandler(exchange, { method, path: data.route, handler: data.handler, parameters: params });
}
