import { replaceMethod, shareUndo, undoAll } from '#patches';
import { registerSpan } from '#profiler';
import { findCurrentExchange, findExchange } from '../watch/exchange.js';
import { noteRoute } from '../watch/note-facts.js';
import { runTimed } from '../watch/timed-middleware.js';

/** What Express's and Fastify's requests have of a route, and Fastify's of Node's own request. */
interface NestRequest {
  readonly raw?: object;
  readonly method?: string;
  readonly params?: unknown;
  readonly route?: { readonly path?: unknown };
  readonly routeOptions?: { readonly url?: unknown };
}

/** What Nest gives to both: guards or interceptors, arguments of the platform's handler, controller, method, and what comes then. */
type Consumed = [
  list: unknown,
  args: unknown,
  instance: object,
  callback: { readonly name: string },
  next?: unknown,
];

/**
 * The consumer of Nest's guards or of its interceptors, or the prototype of all: one of them is called for each request with the
 * controller and the method that answers. The time is that of pipes and method.
 */
export const watchNest: (consumer: object) => () => void = shareUndo((consumer) => {
  const undos = ['tryActivate', 'intercept'].map((method) =>
    replaceMethod(consumer, method, (former, given, self) => {
      const [list, args, instance, callback, next, ...rest] = given as Consumed; // of both methods
      const request = requestOf(args);
      const exchange = findExchange(request.raw ?? request);
      if (exchange === undefined) return Reflect.apply(former, self, given);
      const { method: asked = '', params } = request;
      const path = request.route?.path ?? request.routeOptions?.url;
      if (typeof path === 'string') noteRoute(exchange, { method: asked, path }, params);
      const name = `${instance.constructor.name}.${callback.name}`;
      // From version 12 on Nest names the platform's handler so, whose bar there is already.
      const isNamed = exchange.controller === name;
      exchange.recording.controller({ name }, []);
      const kind = registerSpan({ name, category: 'controller' });
      const timed = (): unknown => runTimed(exchange, kind, next as () => unknown); // interceptors are given one
      return Reflect.apply(former, self, [
        list,
        args,
        instance,
        callback,
        method === 'intercept' && !isNamed ? timed : next,
        ...rest,
      ]);
    }),
  );
  return undoAll(undos);
});

/** The handler of Nest's exceptions, or the prototype of all: it answers what filters, guards, pipes and controllers threw, and hands on nothing. */
export const watchNestErrors: (handler: object) => () => void = shareUndo((handler) =>
  replaceMethod(handler, 'next', (former, args, self) => {
    findCurrentExchange()?.error(args[0]);
    return Reflect.apply(former, self, args);
  }),
);

/** Requests of HTTP come first among the arguments. */
function requestOf(args: unknown): NestRequest {
  const request: unknown = Array.isArray(args) ? args[0] : undefined;
  return typeof request === 'object' && request !== null ? request : {};
}
