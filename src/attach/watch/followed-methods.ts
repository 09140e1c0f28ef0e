import { OutgoingMessage } from 'node:http';
import { Readable, Stream } from 'node:stream';
import { type Method, replaceMethod, type Undo } from '#patches';

const names = ['emit', 'push', 'write', 'end', 'writeHead', 'flushHeaders'] as const;

/** What is done in place of methods of a message, with the method itself and what it was called with. */
export interface MessageWatch extends Partial<Record<(typeof names)[number], MethodWatch>> {
  /** What watches the request. */
  readonly owner: object;
}
type MethodWatch = (former: Method, args: unknown[]) => unknown;

class Itself {
  constructor(message: object) {
    return message; // oxlint-disable-line no-constructor-return -- what a subclass then gives its field
  }
}

/** Gives a message a private field: the application does not meet it, and it takes a tenth of the time of a hidden property. */
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

/** Node's own classes, below which those of messages are. */
const streams: ReadonlySet<unknown> = new Set([
  Readable.prototype,
  OutgoingMessage.prototype,
  Stream.prototype,
]);

let prototypes = new WeakSet<object>(); // that messages came with, whose classes are followed
let undos: (Undo | undefined)[] = []; // of those classes, which are the process's
let users = 0; // profilers and requests that need them

/**
 * Puts methods of ours in front of those of the messages' classes, until `unfollowMethods` was called as often. They hand on what is called
 * on a message without a watch. Replacing the methods of each message took longer than all else that is done for a request.
 */
export function followMethods(...messages: readonly object[]): void {
  users++;
  for (const message of messages) {
    const prototype: unknown = Object.getPrototypeOf(message);
    if (typeof prototype === 'object' && prototype !== null && prototypes.has(prototype)) continue;
    const target = classOf(prototype);
    const replaced = replaceMethods(target ?? message);
    if (target === undefined) continue;
    prototypes.add(prototype as object); // it has a class
    undos.push(...replaced);
  }
}

export function unfollowMethods(): void {
  if (--users > 0) return;
  for (const undo of undos) undo?.();
  undos = [];
  prototypes = new WeakSet();
}

/** Frameworks put objects of their own between a message and its class. Undefined for what only looks like a message. */
function classOf(prototype: unknown): object | undefined {
  if (typeof prototype !== 'object' || prototype === null || streams.has(prototype)) return undefined;
  const above: unknown = Object.getPrototypeOf(prototype);
  return streams.has(above) ? prototype : classOf(above);
}

function replaceMethods(target: object): (Undo | undefined)[] {
  return names.map((name) =>
    replaceMethod(target, name, (former, args, self) => {
      const watch = Carrier.watchOf(self);
      return watch?.[name] === undefined ? Reflect.apply(former, self, args) : watch[name](former, args);
    }),
  );
}

/** Has a watch called for the methods of a message. */
export function carryWatch(message: object, watch: MessageWatch): void {
  void new Carrier(message, watch);
}

/** The watch that a message carries. */
export const findWatch: (message: object) => MessageWatch | undefined = Carrier.watchOf;
