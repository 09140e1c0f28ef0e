import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isError } from '#core/errors';
import { followPromise, followResult, replaceMethod, shareUndo, undoAll, type Undo } from '#core/patches';
import { registerSpan } from '#profiler';
import { attachmentOf } from '../attachment/attachment.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { findCurrentExchange, findExchange } from '../watch/exchange.js';
import { routesOfFastify } from './declared-routes.js';
import { followsSetters } from '../watch/followed-methods.js';
import { noteHandler, nameOfHandler } from '../watch/note-facts.js';

/** The members of a reply that are read. */
interface Reply {
  readonly request?: {
    readonly raw?: object;
    readonly method?: string;
    readonly params?: unknown;
    readonly routeOptions?: { readonly handler?: unknown; readonly url?: string };
  };
}

/**
 * Watches Fastify's replies, so that requests that end before the handler (in hooks or validation) also have their
 * route.
 */
export const watchReplies: (prototype: object) => () => void = shareUndo((prototype) =>
  undoAll([watchSend(prototype), watchFields(prototype)]),
);

/** Fastify passes all fields to `writeHead` at once, so their setters are only known here. */
function watchFields(prototype: object): Undo | undefined {
  if (!followsSetters()) return undefined;
  return replaceMethod<Reply>(prototype, 'header', (former, args, self) => {
    const result = Reflect.apply(former, self, args);
    findExchange(self.request?.raw ?? {})?.answer.noteFields([args]);
    return result;
  });
}

function watchSend(prototype: object): Undo | undefined {
  return replaceMethod<Reply>(prototype, 'send', (former, args, self) => {
    const { request = {} } = self;
    const { raw, method = '', params: parameters, routeOptions: { url, handler } = {} } = request;
    const exchange = findExchange(raw ?? {});
    if (exchange !== undefined && exchange.handlerBar === undefined && url !== undefined) {
      exchange.handlerBar = -1;
      noteHandler(exchange, { method, path: url, handler, parameters });
    }
    if (isError(args[0])) exchange?.error(args[0]);
    else if (exchange !== undefined) exchange.answer.jsonValue = () => args[0];
    return Reflect.apply(former, self, args);
  });
}

/** Timed hooks, in execution order. Hooks that run after the response are not timed. */
const lifecycle = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onError',
];

type Hook = (...args: unknown[]) => unknown;

/** Route contexts and hook lists that are timed. */
const timed = new WeakSet<object>();

/** Adds a route's hooks, with their names and plugins, and its handler to the timeline. Further calls do nothing. */
function timeRoute(context: unknown): void {
  if (typeof context !== 'object' || context === null || timed.has(context)) return;
  timed.add(context);
  timeHandler(context);
  // Route hooks are bound to the instance that declared the route.
  const { server } = context as { readonly server?: object }; // objects from other sources have no hook lists
  for (const name of lifecycle) {
    const list: unknown = Reflect.get(context, name);
    if (!Array.isArray(list) || timed.has(list)) continue;
    timed.add(list);
    const hooks = list as Hook[]; // Fastify accepts only functions as hooks
    for (const [at, hook] of hooks.entries())
      hooks[at] = timeHook(hook, `${nameOfHook(hook, name)}${pluginOf(server, { name, at })}`);
  }
}

/** Times the route hooks that run after the calling hook, and the handler. */
export function timeRouteOf(request: object): void {
  timeRoute(readSymbol(request, 'fastify.context'));
}

/** Watches Fastify's router through its prototype, and times the hooks on the routes it finds. */
export const watchRoutes: (prototype: object) => Undo = shareUndo((prototype) =>
  replaceMethod<{ readonly routes?: readonly unknown[] }>(prototype, 'find', (former, args, self) => {
    const found = Reflect.apply(former, self, args) as { readonly store?: unknown } | null; // the result type of find-my-way
    timeRoute(found?.store);
    declareFastifyRoutes(self);
    return found;
  }),
);

/**
 * Returns a function that watches the copies of Fastify that created the given instances, found through their symbols:
 * a copy in a bundle is not among the loaded modules. `isSupported` receives the version.
 */
export function createCopyWatch(isSupported: (version: string) => boolean): {
  watch(instance: object): void;
  restore: Undo;
} {
  const restores = new Map<object, Undo>();
  return {
    watch(instance) {
      const { version } = instance as { readonly version?: unknown }; // documented, as text
      if (typeof version !== 'string' || !isSupported(version)) return;
      const { prototype: replies } = Object(readSymbol(instance, 'fastify.Reply')) as {
        readonly prototype?: unknown;
      }; // a class
      const { router } = Object(readSymbol(instance, 'fastify.404')) as { readonly router?: unknown }; // of the same class as the one with the routes
      const [sends, finds] = [ownerOf(replies, 'send'), ownerOf(router, 'find')];
      if (sends === undefined || finds === undefined || restores.has(sends)) return;
      restores.set(sends, undoAll([watchReplies(sends), watchRoutes(finds)]));
    },
    restore() {
      for (const restore of restores.values()) restore();
      restores.clear();
    },
  };
}

/** Returns the outermost object of a prototype chain that has a method: each instance derives its own reply class. */
function ownerOf(object: unknown, method: string): object | undefined {
  let owner: object | undefined;
  for (let one: unknown = object; typeof one === 'object' && one !== null; one = Object.getPrototypeOf(one))
    if (typeof Object.getOwnPropertyDescriptor(one, method)?.value === 'function') owner = one;
  return owner;
}

function declareFastifyRoutes(router: { readonly routes?: readonly unknown[] }): void {
  const { routes = [] } = router;
  if (routes.length > 0)
    findCurrentExchange()?.declareRoutes(router, routes.length, () => routesOfFastify(routes));
}

/**
 * Replaces a route's handler, which Fastify has already bound, by one that is timed. Fastify's diagnostics channels would provide the same
 * facts, but with a subscriber, Fastify sets an error's status before the error handler runs, and reads it outside the handler's `try`:
 * responses would change, or be missing if a getter throws.
 */
function timeHandler(context: object): void {
  const { handler, config } = context as { readonly handler?: unknown; readonly config?: { url?: unknown } }; // a router of another kind stores other values
  const path = config?.url;
  if (typeof handler !== 'function' || typeof path !== 'string') return; // the handler of unknown paths has none
  const apply = (work: Function, self: unknown, args: unknown[]): unknown => {
    const [request, reply] = args as [Reply['request'], { readonly sent?: boolean } | undefined]; // as Fastify calls handlers
    const exchange = findExchange(request?.raw ?? {});
    if (exchange === undefined || exchange.handlerBar !== undefined) return Reflect.apply(work, self, args);
    const { method = '', params: parameters } = request ?? {};
    const name = noteHandler(exchange, { method, path, handler, parameters });
    const bar = (exchange.handlerBar = exchange.enter(registerSpan({ name, category: 'controller' })));
    let answer: unknown;
    let isPending = false;
    const run = (): unknown => {
      answer = Reflect.apply(work, self, args);
      isPending = isLater(answer, reply);
      return isPending ? undefined : answer;
    };
    const followed = followResult(run, {
      done: () => isPending || exchange.leave(bar),
      failed(error) {
        exchange.leave(bar, 'failed');
        exchange.error(error);
      },
    });
    return isPending ? answer : followed;
  };
  Reflect.set(context, 'handler', new Proxy(handler, { apply }));
}

/** Returns whether a handler's result means that the reply is sent later. A reply is no promise, but has a method `then`. */
function isLater(result: unknown, reply: { readonly sent?: boolean } | undefined): boolean {
  return (result === undefined || result === reply) && reply?.sent !== true;
}

function timeHook(hook: Hook, name: string): Hook {
  const kind = registerSpan({ name, category: 'middleware' });
  return (...args) => {
    const [request] = args as [{ readonly raw?: object } | undefined]; // every hook receives the request first
    const exchange = findExchange(request?.raw ?? {});
    if (exchange === undefined) return hook(...args);
    const bar = exchange.enter(kind);
    const done = (): void => exchange.leave(bar);
    const failed = (error: unknown): void => {
      exchange.leave(bar, 'failed');
      exchange.error(error);
    };
    const next = args.at(-1);
    if (typeof next === 'function')
      args[args.length - 1] = (error: unknown, ...rest: unknown[]) => {
        if (error) failed(error);
        else done();
        return Reflect.apply(next, undefined, [error, ...rest]);
      };
    try {
      const result = hook(...args);
      if (result === args[1]) return result; // a reply is no promise, but has a method `then`
      return followPromise(result, { done, failed }) ?? result;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
}

/** Returns the display name of a hook. JavaScript names an anonymous hook in route options after the option. */
function nameOfHook(hook: Hook, option: string): string {
  const name = nameOfHandler(hook, option);
  return name === option ? option : `${option}: ${name}`;
}

/** Returns the plugin that added a hook: the outermost instance that has it, because inner instances inherit hooks. */
function pluginOf(server: object | undefined, { name, at }: { name: string; at: number }): string {
  const hook = listOf(server, name)[at];
  let owner = server;
  for (let outer = server; outer !== undefined && listOf(outer, name).includes(hook); outer = outerOf(outer))
    owner = outer;
  if (hook === undefined || owner === undefined || outerOf(owner) === undefined) return '';
  const [plugin] = readSymbol(owner, 'fastify.pluginNameChain') as readonly unknown[]; // Fastify stores a list of names
  return typeof plugin === 'string' ? ` (${plugin})` : '';
}

function outerOf(instance: object): object | undefined {
  const outer: unknown = Object.getPrototypeOf(instance);
  return outer === null || outer === Object.prototype ? undefined : (outer as object); // a prototype here is never a function
}

function listOf(instance: object | undefined, name: string): readonly unknown[] {
  const hooks = instance === undefined ? undefined : readSymbol(instance, 'fastify.hooks');
  const list: unknown = typeof hooks === 'object' && hooks !== null ? Reflect.get(hooks, name) : undefined;
  return Array.isArray(list) ? list : [];
}

function readSymbol(instance: object, description: string): unknown {
  const symbol = Object.getOwnPropertySymbols(instance).find((one) => one.description === description);
  return symbol === undefined ? undefined : Reflect.get(instance, symbol);
}

export async function install(app: FastifyInstance, options: AttachOptions): Promise<void> {
  const attachment = attachmentOf(options);
  app.addHook('onRequest', (request, reply, next) => {
    let isAnswered = true;
    attachment.handle(request.raw, reply.raw, () => {
      isAnswered = false;
      attachment.guarded(() => {
        timeRouteOf(request);
        note(request);
      }, undefined);
      next();
    });
    if (isAnswered) reply.hijack();
  });
  app.addHook('onError', (request, _reply, error, next) => {
    findExchange(request.raw)?.error(error);
    next();
  });
  if (attachment.settings.errorPage) app.setErrorHandler(answerError);
  app.addHook('onClose', async () => {
    await attachment.close();
  });
  await attachment.ready();
}

function note({ raw, method, params, routeOptions }: FastifyRequest): void {
  const exchange = findExchange(raw);
  if (exchange === undefined || routeOptions.url === undefined) return;
  const { handler } = routeOptions as { handler?: unknown }; // present in Fastify 5, but not declared by all its releases
  noteHandler(exchange, { method, path: routeOptions.url, handler, parameters: params });
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const exchange = findExchange(request.raw);
  if (exchange === undefined || !exchange.answerError(error)) throw error;
  reply.hijack();
}
