import { followPromise, replaceMethod, type Undo } from '#patches';
import { registerSpan } from '#profiler';
import { findExchange } from '../watch/exchange.js';
import { nameOfHandler } from '../watch/note-facts.js';

/** In their order. What runs when the answer is out is not part of it. */
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

/** What Fastify has of a route: its hooks, each bound to the instance that declared the route. */
interface RouteContext {
  readonly server?: object;
}

// Until Fastify is no longer watched:
let timedRoutes = new WeakSet<object>(); // those whose hooks are timed
const formers = new Map<Hook[], readonly Hook[]>(); // lists of hooks as they were, by those lists

/** Times the hooks of a route, once: rows of the timeline with the name of each, and of its plugin. */
function timeHooks(context: unknown): void {
  if (typeof context !== 'object' || context === null || timedRoutes.has(context)) return;
  timedRoutes.add(context);
  const { server } = context as RouteContext; // in Fastify; of others, none of the lists is there
  for (const name of lifecycle) {
    const list: unknown = Reflect.get(context, name);
    if (!Array.isArray(list) || formers.has(list)) continue;
    const hooks = list as Hook[]; // what Fastify checks them to be
    formers.set(hooks, [...hooks]);
    for (const [at, hook] of hooks.entries())
      hooks[at] = timeHook(hook, `${nameOfHook(hook, name)}${pluginOf(server, { name, at })}`);
  }
}

/** The same for the route of a request, for those that run behind the one that calls this. */
export function timeHooksOf(request: object): void {
  timeHooks(readSymbol(request, 'fastify.context'));
}

/** Puts back what Fastify had. */
export function restoreHooks(): void {
  for (const [list, former] of formers) list.splice(0, Infinity, ...former);
  formers.clear();
  timedRoutes = new WeakSet();
}

/** The router of Fastify, whose prototype is given: what it finds has the hooks of the route. */
export function watchRoutes(prototype: object): Undo | undefined {
  return replaceMethod(prototype, 'find', (former, args, self) => {
    const found = Reflect.apply(former, self, args) as { readonly store?: unknown } | null; // of a router
    timeHooks(found?.store);
    return found;
  });
}

function timeHook(hook: Hook, name: string): Hook {
  const kind = registerSpan({ name, category: 'middleware' });
  return (...args) => {
    const [request] = args as [{ readonly raw?: object } | undefined]; // the first of every hook
    const exchange = findExchange(request?.raw ?? {});
    if (exchange === undefined) return hook(...args);
    const bar = exchange.enter(kind);
    const done = (): void => exchange.leave(bar);
    const failed = (): void => exchange.leave(bar, 'failed');
    const next = args.at(-1);
    if (typeof next === 'function')
      args[args.length - 1] = (error: unknown, ...rest: unknown[]) => {
        (error ? failed : done)();
        return Reflect.apply(next, undefined, [error, ...rest]);
      };
    try {
      const result = hook(...args);
      return followPromise(result, { done, failed }) ?? result;
    } catch (error) {
      failed();
      throw error;
    }
  };
}

/** One that stands among the options of a route is named by JavaScript as the option is. */
function nameOfHook(hook: Hook, option: string): string {
  const name = nameOfHandler(hook, option);
  return name === option ? option : `${option}: ${name}`;
}

/** The plugin that added a hook: the outermost instance that has it, as an instance inherits those around it. Empty for the application's own. */
function pluginOf(server: object | undefined, { name, at }: { name: string; at: number }): string {
  const hook = listOf(server, name)[at];
  let owner = server;
  for (let outer = server; outer !== undefined && listOf(outer, name).includes(hook); outer = outerOf(outer))
    owner = outer;
  if (hook === undefined || owner === undefined || outerOf(owner) === undefined) return '';
  const [plugin] = readSymbol(owner, 'fastify.pluginNameChain') as readonly unknown[]; // a list of names
  return typeof plugin === 'string' ? ` (${plugin})` : '';
}

/** An instance of Fastify is made with the one around it as its prototype. */
function outerOf(instance: object): object | undefined {
  const outer: unknown = Object.getPrototypeOf(instance);
  return outer === null || outer === Object.prototype ? undefined : (outer as object); // no function
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
