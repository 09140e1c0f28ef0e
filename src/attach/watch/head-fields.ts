import type { ForeignResponse } from './foreign-message.js';

/** Fields of another record in a written head: an application may forward the answer of another watched application. */
const otherRecord = /\r\nX-Debug-Token(?:-Link)?:[^\r]*/gi;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const noValues: readonly string[] = [];

/** Whether the body of an answer is sent: not for HEAD, 204 and 304. */
export function takesBody({ req, statusCode }: ForeignResponse): boolean {
  return req?.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

/** Returns the index of the fields among the arguments of `writeHead`. */
export function placeOfFields([, reason, fields]: readonly unknown[]): 1 | 2 {
  return typeof reason === 'string' || (fields !== undefined && fields !== null) ? 2 : 1;
}

/** Node's HTTP/1.1 head as text, before it is sent. Other packages, such as on-finished and morgan, use this property too. */
interface WrittenHead {
  _header?: unknown;
}

/** Writes a head with additional fields after those of the application, which are not changed. */
export function writeWith(
  fields: readonly (readonly [name: string, value: string])[],
  outgoing: ForeignResponse,
  write: () => unknown,
): unknown {
  const ours = fields.filter(([, value]) => fieldValue.test(value));
  const written = outgoing as WrittenHead; // only HTTP/1.1 has it
  const isToCome = written._header === null; // not null for HTTP/2
  if (!isToCome) for (const [name, value] of ours) addField(outgoing, name, value);
  const result = write();
  const head = written._header;
  if (!isToCome || typeof head !== 'string' || !head.endsWith('\r\n\r\n')) return result;
  const lines = ours.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  written._header = `${head.replace(otherRecord, '').slice(0, -2)}${lines}\r\n`;
  return result;
}

/** Adds a field by `setHeader`, for HTTP/2. Cookies and timings of the application are kept. */
function addField(outgoing: ForeignResponse, name: string, value: string): void {
  const isList = name === 'Set-Cookie' || name === 'Server-Timing';
  outgoing.setHeader(name, isList ? [...textsOf(outgoing.getHeader(name)), value] : value);
}

/** Returns a reader for the fields of a head that is about to be written. Fields passed to `writeHead` override earlier ones. */
export function outgoingFields(
  outgoing: ForeignResponse,
  args: readonly unknown[],
): (name: string) => readonly string[] {
  const given = args[placeOfFields(args)];
  const isObject = typeof given === 'object' && given !== null;
  return (name) => {
    const found = isObject ? givenValues(given, name) : noValues;
    return found.length > 0 ? found : textsOf(outgoing.getHeader(name));
  };
}

function givenValues(given: object, name: string): readonly string[] {
  const values: string[] = [];
  if (!Array.isArray(given)) {
    for (const [key, value] of Object.entries(given)) if (isNamed(key, name)) values.push(...textsOf(value));
    return values;
  }
  const flat: unknown[] = given.flat();
  for (let at = 0; at < flat.length; at += 2)
    if (isNamed(flat[at], name)) values.push(...textsOf(flat[at + 1]));
  return values;
}

function isNamed(field: unknown, name: string): boolean {
  const text = String(field);
  return text.length === name.length && text.toLowerCase() === name.toLowerCase();
}

/** Returns the values of a field as texts. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value === undefined ? noValues : [value].flat().map(String);
}
