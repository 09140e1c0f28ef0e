import type { ForeignRequest, ForeignResponse } from './foreign-message.js';

type Method = 'push' | 'emit' | 'write' | 'end' | 'writeHead' | 'flushHeaders';

type Former = (...args: never[]) => unknown;

/** Puts a method in front of a message's own, as other middleware does. What it returns is what the caller gets. */
export function wrapMethod(
  message: ForeignRequest | ForeignResponse,
  name: Method,
  method: (former: Former, args: unknown[]) => unknown,
): void {
  const former: unknown = Reflect.get(message, name);
  if (typeof former !== 'function') return;
  const value = (...args: unknown[]): unknown => method(former as Former, args); // a function, whatever it takes
  Object.defineProperty(message, name, { value, writable: true, configurable: true });
}

/** Whether bytes of an answer leave at all: those to HEAD, 204 and 304 do not. */
export function takesBody(outgoing: ForeignResponse): boolean {
  const { req, statusCode } = outgoing;
  return req?.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

/** The bytes of a chunk given as text. */
export function bytesOf(text: string, encoding: unknown): Uint8Array {
  const isEncoding = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  return Buffer.from(text, isEncoding ? encoding : 'utf8');
}

/**
 * Adds fields to a head that is about to be written. Where all others are given to `writeHead` they are put among them:
 * fields that were set before would make Node join and drop what it sends as it is otherwise.
 */
export function addFields(
  outgoing: ForeignResponse,
  args: readonly unknown[],
  fields: readonly (readonly [name: string, value: string])[],
): unknown[] {
  const at = typeof args[1] === 'string' ? 2 : 1;
  const given = args[at];
  if (
    typeof given !== 'object' ||
    given === null ||
    'stream' in outgoing ||
    outgoing.getHeaderNames().length > 0
  ) {
    for (const [name, value] of fields)
      outgoing.setHeader(name, beside(outgoing.getHeader(name), name, value));
    return [...args];
  }
  const added = Array.isArray(given)
    ? [...(given as unknown[]), ...(Array.isArray(given[0]) ? fields : fields.flat())] // pairs, or names and values in turn
    : withFields(given, fields);
  return [...args.slice(0, at), added, ...args.slice(at + 1)];
}

function withFields(given: object, fields: readonly (readonly [name: string, value: string])[]): object {
  const names = Object.keys(given);
  const all: Record<string, unknown> = { ...given };
  for (const [name, value] of fields) {
    const key = names.find((other) => isNamed(other, name)) ?? name;
    all[key] = beside(all[key], name, value);
  }
  return all;
}

function isNamed(field: unknown, name: string): boolean {
  const text = String(field);
  return text.length === name.length && text.toLowerCase() === name.toLowerCase();
}

/** The application's own cookies and timings stay. */
function beside(known: unknown, name: string, value: string): string | string[] {
  if (known === undefined || (name !== 'Set-Cookie' && name !== 'Server-Timing')) return value;
  return [known].flat().map(String).concat(value);
}

/** Reads the fields of a head that is about to be written; those given to `writeHead` come before those set before. */
export function outgoingFields(
  outgoing: ForeignResponse,
  args: readonly unknown[],
): (name: string) => readonly string[] {
  const given = args.find((arg) => typeof arg === 'object' && arg !== null);
  return (name) => {
    const found = given === undefined ? [] : givenValues(given, name);
    const values = found.length > 0 ? found.flat() : [outgoing.getHeader(name) ?? []].flat();
    return values.map(String);
  };
}

function givenValues(given: object, name: string): unknown[] {
  if (!Array.isArray(given))
    return Object.entries(given).flatMap(([key, value]: [string, unknown]) =>
      isNamed(key, name) ? [value] : [],
    );
  const flat: unknown[] = given.flat();
  return flat.filter((_value, at) => at % 2 === 1 && isNamed(flat[at - 1], name));
}
