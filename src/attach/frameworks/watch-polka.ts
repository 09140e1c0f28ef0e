import { replaceMethod, undoAll, type Undo } from '#patches';
import { type Exchange, findCurrentExchange } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';
import { type Middleware, timeMiddleware } from '../watch/timed-middleware.js';

/** What an application of polka has of handlers: by method and pattern, for all paths, and for those below one. */
interface PolkaApp {
  readonly handlers: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  readonly wares?: Middleware[];
  readonly bwares?: Readonly<Record<string, Middleware[]>>;
}

/** What its router finds. */
interface PolkaMatch {
  readonly params: unknown;
  readonly handlers: readonly Middleware[];
}

const timed = (middleware: Middleware): Middleware =>
  timeMiddleware(middleware, (message: object) => message);

/** Every application of polka, by the router whose prototype is given: middleware and handlers with their times, errors, and the route. */
export function watchPolka(prototype: object): Undo {
  const undos: (Undo | undefined)[] = [];
  const follow = (app: PolkaApp): void => {
    const lists = [app.wares ?? [], ...Object.values(app.bwares ?? {})];
    for (const list of lists)
      for (const [at, own] of list.entries()) {
        const stand = timed(own);
        if (stand === own) continue;
        list[at] = stand;
        undos.push(() => void (list[at] = own));
      }
    const watchError = replaceMethod(app, 'onError', (former, args) => {
      findCurrentExchange()?.error(args[0]);
      return Reflect.apply(former, app, args);
    });
    if (watchError !== undefined) undos.push(watchError);
  };
  const undo = replaceMethod<PolkaApp>(prototype, 'find', (former, args, app) => {
    const found = Reflect.apply(former, app, args) as PolkaMatch | false; // of the router
    const exchange = findCurrentExchange();
    if (exchange === undefined) return found;
    follow(app);
    if (found === false) return found;
    noteMatch(exchange, { app, found });
    return { ...found, handlers: found.handlers.map(timed) };
  });
  return () => undoAll([undo, ...undos])();
}

/** The pattern is where the list of handlers stands. */
function noteMatch(exchange: Exchange, { app, found }: { app: PolkaApp; found: PolkaMatch }): void {
  const { method = '', url = '', originalUrl = url } = exchange.incoming as Incoming; // of whoever routed it
  const isFound = ([, handlers]: [string, unknown]): boolean => handlers === found.handlers;
  const patterns = [app.handlers[method], app.handlers['*']].flatMap((known) => Object.entries(known ?? {}));
  const pattern = patterns.find(isFound)?.[0];
  if (pattern === undefined) return;
  const base = originalUrl.slice(0, originalUrl.length - url.length); // of one that is mounted in another
  const path = base + (pattern.startsWith('/') ? pattern : `/${pattern}`);
  noteHandler(exchange, { method, path, handler: found.handlers.at(-1), parameters: found.params });
}

interface Incoming {
  readonly method?: string;
  readonly url?: string;
  readonly originalUrl?: string;
}
