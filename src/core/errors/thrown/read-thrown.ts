import { isNativeError, isProxy } from 'node:util/types';
import { classNameOf, findData, takeGetter } from '#core/dump';

/** A thrown value's properties, read without running its code. */
export interface ThrownFacts {
  readonly class: string;
  /** Truncated if it is long. */
  readonly message: string;
  /** The full message, as it appears in the stack. */
  readonly wholeMessage: string;
  /** Empty if there is no stack or if it is not a string. */
  readonly stack: string;
  readonly cause: { readonly value: unknown } | undefined;
  readonly aggregated: readonly unknown[];
  readonly code: string | undefined;
  readonly fix: string | undefined;
}

const maxMessageLength = 10_000;
const domName = takeGetter<unknown>(DOMException.prototype, 'name');
const domMessage = takeGetter<unknown>(DOMException.prototype, 'message');
/** The native getter of `stack`, which newer V8 versions define as an accessor on every error. */
const nativeGetter: unknown = Reflect.get(
  Object.getOwnPropertyDescriptor(new Error('probe'), 'stack') ?? {},
  'get',
);

/** Reads any thrown value. Never throws, runs none of the value's accessors and triggers no Proxy trap. */
export function readThrown(thrown: unknown): ThrownFacts {
  if (typeof thrown !== 'object' || thrown === null || isProxy(thrown)) return primitive(thrown);
  const message = errorMessage(thrown);
  return {
    class: errorName(thrown),
    message: cut(message),
    wholeMessage: message,
    stack: readStack(thrown),
    cause: findCause(thrown),
    aggregated: readAggregated(thrown),
    code: errorCode(thrown),
    fix: textOf(thrown, 'fix')?.slice(0, 2000),
  };
}

/**
 * Returns true for errors from any realm, for DOM exceptions, and for objects with a stack that inherit from Error but
 * were not created by its constructor (`Error.captureStackTrace(this)`, as in Fastify). Runs none of the value's code.
 */
export function isError(thrown: unknown): thrown is object {
  if (typeof thrown !== 'object' || thrown === null || isProxy(thrown)) return false;
  if (isNativeError(thrown) || domText(thrown, domName) !== undefined) return true;
  return Object.hasOwn(thrown, 'stack') && inheritsFrom(thrown, Error.prototype);
}

function inheritsFrom(thrown: object, prototype: object): boolean {
  let parent: unknown = thrown;
  for (let level = 0; level < 20 && parent !== null && !isProxy(parent); level++) {
    if (parent === prototype) return true;
    parent = Object.getPrototypeOf(parent);
  }
  return false;
}

function primitive(thrown: unknown): ThrownFacts {
  const kind = typeof thrown;
  const name = thrown === null ? 'null' : kind === 'object' ? 'Proxy' : kind;
  const text = kind === 'string' ? cut(thrown as string) : ''; // typeof was checked above
  const none = { stack: '', cause: undefined, aggregated: [], code: undefined, fix: undefined };
  return { ...none, class: name, message: text, wholeMessage: text };
}

/**
 * Returns the message; empty if there is none or if it is not a string. If `message` is an accessor, as in Zod, it is
 * the message with which the stack begins.
 */
export function errorMessage(thrown: object): string {
  return textOf(thrown, 'message') ?? domText(thrown, domMessage) ?? messageInStack(thrown);
}

/** V8 puts the name and the message before the first frame. */
function messageInStack(thrown: object): string {
  if (!isError(thrown) || findData(thrown, 'message') !== undefined) return '';
  const [head = ''] = readStack(thrown).split('\n    at ', 1);
  const name = [errorName(thrown), classNameOf(thrown), 'Error'].find((one) => head.startsWith(`${one}: `));
  return name === undefined ? '' : head.slice(name.length + 2);
}

/** `name` values that a subclass inherits if it sets none. */
const inheritedNames: ReadonlySet<string> = new Set(
  'Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError'.split(' '),
);

/** Returns `name` if it is more specific than the class (`AbortError`, a renamed error), otherwise the class name. */
export function errorName(thrown: object): string {
  const made = classNameOf(thrown);
  if (!isError(thrown)) return made;
  const name = domText(thrown, domName) ?? textOf(thrown, 'name') ?? '';
  const isUnmade = made === 'null' || made === 'Object';
  return (name !== '' && (isUnmade || !inheritedNames.has(name)) ? name : made).slice(0, 200);
}

/** Reads the stack. The application's `Error.prepareStackTrace` may run now, and throw. Runs none of the value's accessors. */
function readStack(thrown: object): string {
  try {
    const own = Object.getOwnPropertyDescriptor(thrown, 'stack') ?? {};
    const getter: unknown = Reflect.get(own, 'get');
    const native = typeof getter === 'function' && getter === nativeGetter;
    const value: unknown = native ? Reflect.apply(getter, thrown, []) : own.value;
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}

/** Returns the cause if it is an own data property; undefined for a Proxy. */
export function findCause(thrown: object): ThrownFacts['cause'] {
  if (isProxy(thrown)) return undefined;
  const own = Object.getOwnPropertyDescriptor(thrown, 'cause');
  if (own === undefined || !('value' in own)) return undefined;
  const value: unknown = own.value;
  // `{ cause: undefined }` counts as no cause.
  return value === undefined || value === null ? undefined : { value };
}

function readAggregated(thrown: object): readonly unknown[] {
  if (!isNativeError(thrown)) return [];
  const list = Object.getOwnPropertyDescriptor(thrown, 'errors')?.value as unknown; // typed as any by the library
  return Array.isArray(list) && !isProxy(list) ? list : [];
}

/** Returns the code, as text; undefined if there is none. */
export function errorCode(thrown: object): string | undefined {
  const code = findData(thrown, 'code');
  if (typeof code === 'string') return code.slice(0, 200);
  return typeof code === 'number' ? String(code) : undefined;
}

function textOf(thrown: object, key: string): string | undefined {
  const value = findData(thrown, key);
  return typeof value === 'string' ? value : undefined;
}

function cut(text: string): string {
  if (text.length <= maxMessageLength) return text;
  return `${text.slice(0, maxMessageLength)}… (${text.length - maxMessageLength} more characters)`;
}

/** Reads a DOMException property: name and message are getters on its prototype and work only on real instances. */
function domText(thrown: object, read: (value: object) => unknown): string | undefined {
  if (!inheritsFrom(thrown, DOMException.prototype)) return undefined;
  try {
    const value = read(thrown);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined; // created by Object.create, not a real DOMException
  }
}

/** Returns a thrown value's class and message as one text, without running its code; bounded, not redacted. */
export function describeThrown(error: unknown): string {
  if (typeof error === 'function') return 'a function'; // its toString could be foreign
  if (typeof error !== 'object' || error === null) return `${typeof error}: ${String(error).slice(0, 1000)}`;
  if (isProxy(error)) return 'Proxy';
  const name = errorName(error);
  const message = errorMessage(error);
  return message === '' ? name : `${name}: ${message.slice(0, 1000)}`;
}
