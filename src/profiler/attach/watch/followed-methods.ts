import type { EventEmitter } from 'node:events';
import { OutgoingMessage } from 'node:http';
import { Readable, Stream } from 'node:stream';
import { installMethod, type Method, replaceMethod, type Undo, withRoomInStacks } from '#core/patches';
import { environmentOf } from '#profiler/setup';

const names = ['emit', 'push', 'write', 'end', 'writeHead', 'flushHeaders'] as const;
/** Also followed, except in production, to record which call sets a header field. */
const setters = ['setHeader', 'appendHeader', 'removeHeader'] as const;
type FollowedName = (typeof names)[number] | (typeof setters)[number];

/** Replacements for message methods. Each receives the original method and its arguments. */
export interface MessageWatch extends Partial<Record<FollowedName, MethodWatch>> {
  readonly owner: object;
}
type MethodWatch = (former: Method, args: unknown[]) => unknown;

class Itself {
  constructor(message: object) {
    return message; // oxlint-disable-line no-constructor-return -- a subclass then adds its private field to it
  }
}

/** Adds a private field to a message. Applications cannot see it, and it takes a tenth of the time that a hidden property takes. */
class Carrier extends Itself {
  readonly #watch: MessageWatch;

  constructor(message: object, watch: MessageWatch) {
    super(message);
    this.#watch = watch;
  }

  static watchOf(this: void, message: unknown): MessageWatch | undefined {
    return typeof message === 'object' && message !== null && #watch in message ? message.#watch : undefined;
  }
}

/** Node's base classes of message classes. */
const streams: ReadonlySet<unknown> = new Set([
  Readable.prototype,
  OutgoingMessage.prototype,
  Stream.prototype,
]);

let prototypes = new WeakSet<object>(); // prototypes of messages with followed classes
let undos: (Undo | undefined)[] = []; // undo functions for the changed classes
let users = 0; // number of profilers and requests that need the changes

/**
 * Intercepts the message classes' methods until `unfollowMethods` has been called as often. Calls on unwatched messages pass through.
 * Changing classes instead of individual messages is faster: the latter took longer than all other work for a request.
 */
export function followMethods(...messages: readonly object[]): void {
  users++;
  for (const message of messages) {
    const prototype: unknown = Object.getPrototypeOf(message);
    if (typeof prototype === 'object' && prototype !== null && prototypes.has(prototype)) continue;
    const target = classOf(prototype);
    const replaced = replaceMethods(target ?? message);
    if (target === undefined) continue;
    prototypes.add(prototype as object); // an object, because a class was found
    undos.push(...replaced);
  }
}

/** Intercepts a message's own `emit`, in case an agent replaced it before the class was followed. */
export function followOwnEmit(message: object): void {
  if (Object.hasOwn(message, 'emit')) replaceMethods(message, ['emit']);
}

export function unfollowMethods(): void {
  if (--users > 0) return;
  for (const undo of undos) undo?.();
  undos = [];
  prototypes = new WeakSet();
}

/** Finds a message's class, even behind prototypes that frameworks insert; undefined for foreign messages. */
function classOf(prototype: unknown): object | undefined {
  if (typeof prototype !== 'object' || prototype === null || streams.has(prototype)) return undefined;
  const above: unknown = Object.getPrototypeOf(prototype);
  return streams.has(above) ? prototype : classOf(above);
}

function replaceMethods(
  target: object,
  changed: readonly FollowedName[] = followsSetters() ? [...names, ...setters] : names,
): (Undo | undefined)[] {
  return changed.map((name) => {
    if (name === 'emit') return installMethod(target, name, emitWatched);
    return replaceMethod(target, name, (former, args, self) => {
      const watch = Carrier.watchOf(self);
      return watch?.[name] === undefined ? Reflect.apply(former, self, args) : watch[name](former, args);
    });
  });
}

/** Most events have no listener and can be skipped, except at the end of the exchange. */
function emitWatched(former: Method): (this: EventEmitter, ...args: unknown[]) => unknown {
  return function lookback(...args) {
    const [event] = args as [string]; // `emit`'s argument
    const isListenedTo =
      event === 'close' || event === 'error' || event === 'pipe' || this.listenerCount(event) > 0;
    const watch = isListenedTo ? Carrier.watchOf(this) : undefined;
    if (watch?.emit === undefined) return Reflect.apply(former, this, args);
    return withRoomInStacks(() => watch.emit?.(former, args));
  };
}

/** Returns whether calls that set header fields are recorded. */
export function followsSetters(): boolean {
  return environmentOf(process.env) !== 'prod';
}

/** Routes a message's method calls to a watch. */
export function carryWatch(message: object, watch: MessageWatch): void {
  void new Carrier(message, watch);
}

export const findWatch: (message: object) => MessageWatch | undefined = Carrier.watchOf;
