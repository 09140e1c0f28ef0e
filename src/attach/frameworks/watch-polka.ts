import { replaceMethod, undoAll, type Undo } from '#patches';
import { type Exchange, findCurrentExchange } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';
import { type Middleware, timeMiddleware } from '../watch/timed-middleware.js';

/** The handlers of a polka application: by method and pattern, for all paths, and by base path. */
interface PolkaApp {
  readonly handlers: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  readonly wares?: Middleware[];
  readonly bwares?: Readonly<Record<string, Middleware[]>>;
}

/** A match of polka's router. */
interface PolkaMatch {
  readonly params: unknown;
  readonly handlers: readonly Middleware[];
}

const timed = (middleware: Middleware): Middleware =>
  timeMiddleware(middleware, (message: object) => message);

/** Watches all polka applications by their router's prototype: records the times and errors of handlers, and the route. */
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
    const found = Reflect.apply(former, app, args) as PolkaMatch | false; // the result type of the router
    const exchange = findCurrentExchange();
    if (exchange === undefined) return found;
    follow(app);
    if (found === false) return found;
    noteMatch(exchange, { app, found });
    return { ...found, handlers: found.handlers.map(timed) };
  });
  return () => undoAll([undo, ...undos])();
}

/** Records the route. Its pattern is the key under which the application has the list of handlers that was found. */
function noteMatch(exchange: Exchange, { app, found }: { app: PolkaApp; found: PolkaMatch }): void {
  const { method = '', url = '', originalUrl = url } = exchange.incoming as Incoming; // polka sets these
  const isFound = ([, handlers]: [string, unknown]): boolean => handlers === found.handlers;
  const patterns = [app.handlers[method], app.handlers['*']].flatMap((known) => Object.entries(known ?? {}));
  const pattern = patterns.find(isFound)?.[0];
  if (pattern === undefined) return;
  const base = originalUrl.slice(0, originalUrl.length - url.length); // the path at which this application is mounted
  const path = base + (pattern.startsWith('/') ? pattern : `/${pattern}`);
  noteHandler(exchange, { method, path, handler: found.handlers.at(-1), parameters: found.params });
}

interface Incoming {
  readonly method?: string;
  readonly url?: string;
  readonly originalUrl?: string;
}
