import { replaceMethod, shareUndo, undoAll } from '#core/patches';
import { registerSpan } from '#profiler';
import { findCurrentExchange, findExchange } from '../watch/exchange.js';
import { noteController, noteRoute, runTimed } from '../watch/note-facts.js';

/** Route properties on Express and Fastify requests; `raw` is Node's request on Fastify. */
interface NestRequest {
  readonly raw?: object;
  readonly method?: string;
  readonly params?: unknown;
  readonly route?: { readonly path?: unknown };
  readonly routeOptions?: { readonly url?: unknown };
}

/**
 * Common arguments of both consumers: guards or interceptors, the platform handler's arguments, controller, method, and
 * `next`.
 */
type Consumed = [
  list: unknown,
  args: unknown,
  instance: object,
  callback: { readonly name: string },
  next?: unknown,
];

/**
 * Watches Nest's guards or interceptors, whose consumers are called with controller and method. The recorded time
 * includes pipes.
 */
export const watchNest: (consumer: object) => () => void = shareUndo((consumer) => {
  const undos = ['tryActivate', 'intercept'].map((method) =>
    replaceMethod(consumer, method, (former, given, self) => {
      const [list, args, instance, callback, next, ...rest] = given as Consumed; // both methods take these arguments
      const request = requestOf(args);
      const exchange = findExchange(request.raw ?? request);
      if (exchange === undefined) return Reflect.apply(former, self, given);
      const { method: requestMethod = '', params } = request;
      const path = request.route?.path ?? request.routeOptions?.url;
      if (typeof path === 'string') noteRoute(exchange, { method: requestMethod, path }, params);
      const name = `${instance.constructor.name}.${callback.name}`;
      // From version 12 on, Nest gives the platform's handler this name, so it already has a bar in the timeline.
      const isNamed = exchange.controller === name;
      noteController(exchange, name, callback);
      const kind = registerSpan({ name, category: 'controller' });
      const timed = (): unknown => runTimed(exchange, kind, next as () => unknown); // interceptors always receive one
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

/**
 * Watches Nest's exception handler, or its prototype, which answers errors from filters, guards, pipes and controllers without rethrowing.
 */
export const watchNestErrors: (handler: object) => () => void = shareUndo((handler) =>
  replaceMethod(handler, 'next', (former, args, self) => {
    findCurrentExchange()?.error(args[0]);
    return Reflect.apply(former, self, args);
  }),
);

function requestOf(args: unknown): NestRequest {
  const request: unknown = Array.isArray(args) ? args[0] : undefined;
  return typeof request === 'object' && request !== null ? request : {};
}
