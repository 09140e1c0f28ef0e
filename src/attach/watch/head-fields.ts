import type { ForeignResponse } from './foreign-message.js';

/** What stands in a head twice where an application hands on the answer of another one that is watched. */
const otherRecord = /\r\nX-Debug-Token(?:-Link)?:[^\r]*/gi;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const noValues: readonly string[] = [];

/** Whether bytes of an answer leave at all: those to HEAD, 204 and 304 do not. */
export function takesBody({ req, statusCode }: ForeignResponse): boolean {
  return req?.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

/** Where Node finds the fields among the arguments of `writeHead`. */
export function placeOfFields([, reason, fields]: readonly unknown[]): 1 | 2 {
  return typeof reason === 'string' || (fields !== undefined && fields !== null) ? 2 : 1;
}

/** A head of HTTP/1.1 as Node has written it, before it is sent: read and written by on-finished, morgan and others. */
interface WrittenHead {
  _header?: unknown;
}

/** Writes a head, with fields of ours behind those of the application, which are not touched. */
export function writeWith(
  fields: readonly (readonly [name: string, value: string])[],
  outgoing: ForeignResponse,
  write: () => unknown,
): unknown {
  const ours = fields.filter(([, value]) => fieldValue.test(value));
  const written = outgoing as WrittenHead; // where it is of HTTP/1.1
  const isToCome = written._header === null; // HTTP/2 has false
  if (!isToCome) for (const [name, value] of ours) addField(outgoing, name, value);
  const result = write();
  const head = written._header;
  if (!isToCome || typeof head !== 'string' || !head.endsWith('\r\n\r\n')) return result;
  const lines = ours.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  written._header = `${head.replace(otherRecord, '').slice(0, -2)}${lines}\r\n`;
  return result;
}

/** Of HTTP/2. The application's own cookies and timings stay. */
function addField(outgoing: ForeignResponse, name: string, value: string): void {
  const isBeside = name === 'Set-Cookie' || name === 'Server-Timing';
  outgoing.setHeader(name, isBeside ? [...textsOf(outgoing.getHeader(name)), value] : value);
}

/** Reads the fields of a head that is about to be written; those given to `writeHead` come before those set before. */
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

/** The values of a field. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value === undefined ? noValues : [value].flat().map(String);
}
