import type { HttpRequest } from '#http';
import { addToolbar } from '#profiler';
import type { ForeignResponse } from './foreign-message.js';

export interface ToolbarInput {
  readonly request: HttpRequest;
  readonly token: string;
  readonly prefix: string;
  /** Whether a head was sent that fits the page with the toolbar and without it; over HTTP/2 only. */
  isAwaited: boolean;
}

/** Encodings that are supersets of ASCII. */
const asciiLikeEncodings = /^(?:utf-?8|latin1|binary|ascii)$/i;

/**
 * Returns the arguments for `end`, with the toolbar if they are a whole page that can have it. The head that `writeHead` of
 * HTTP/1.1 writes is sent with the first chunk, so it is changed as text; that of HTTP/2 is sent at once, prepared for both.
 */
export function withToolbar(outgoing: ForeignResponse, given: unknown[], toolbar: ToolbarInput): unknown[] {
  const [body, encoding] = given;
  const written = outgoing as WrittenHead; // only HTTP/1.1 has it
  const head = typeof written._header === 'string' ? written._header : undefined;
  const isSent = head === undefined ? outgoing.headersSent : written._headerSent === true;
  if (isSent && !toolbar.isAwaited) return given;
  if (typeof encoding === 'string' && !asciiLikeEncodings.test(encoding)) return given;
  const fields =
    head === undefined ? outgoingFields(outgoing, []) : (name: string) => fieldsInHead(head, name);
  const page = addToolbar({ status: outgoing.statusCode, fields, body }, toolbar);
  if (page === undefined) return given;
  if (head !== undefined) written._header = changeHead(head, page.fields);
  else if (!isSent) for (const [name, value] of page.fields) outgoing.setHeader(name, value);
  // The length that Node compares with what is written, and that @hono/node-server sets separately from the fields.
  if (typeof Reflect.get(outgoing, '_contentLength') === 'number')
    Reflect.set(outgoing, '_contentLength', Buffer.byteLength(page.body));
  return [page.body, ...given.slice(1)];
}

function fieldsInHead(head: string, name: string): readonly string[] {
  const lines = head.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name}:`));
  return lines.map((line) => line.slice(name.length + 1).trim());
}

function changeHead(head: string, fields: ReadonlyMap<string, string>): string {
  const names = new Set([...fields.keys()].map((name) => name.toLowerCase()));
  const kept = head
    .trimEnd()
    .split('\r\n')
    .filter((line) => !names.has(line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase()));
  const changed = [...fields].map(([name, value]) => `${name}: ${value}`);
  return `${[...kept, ...changed].join('\r\n')}\r\n\r\n`;
}

/** Fields of another record in a written head: an application may forward the answer of another watched application. */
const otherRecord = /\r\nX-Debug-Token(?:-Link)?:[^\r]*/gi;
const noValues: readonly string[] = [];

/** Whether the body of an answer is sent: not for HEAD, 204 and 304. */
export function takesBody({ req, statusCode }: ForeignResponse): boolean {
  return req?.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

/** Returns the index of the fields among the arguments of `writeHead`. */
function placeOfFields([, reason, fields]: readonly unknown[]): 1 | 2 {
  return typeof reason === 'string' || (fields !== undefined && fields !== null) ? 2 : 1;
}

/** Node's HTTP/1.1 head as text, before it is sent. Other packages, such as on-finished and morgan, use this property too. */
interface WrittenHead {
  _header?: unknown;
  /** Whether Node has passed it on, with the first chunk or before. */
  readonly _headerSent?: boolean;
}

/** Fields that are added to those of the application. */
export type AddedFields = readonly (readonly [name: string, value: string])[];

/** Whether a field can be sent: the URL of a record has the Host of the client. */
export function isSendable([, value]: AddedFields[number]): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Writes a head with additional fields after those of the application, which are not changed. */
export function writeWith(fields: AddedFields, outgoing: ForeignResponse, write: () => unknown): unknown {
  const written = outgoing as WrittenHead; // HTTP/1.1 has it, responses that are no messages of Node need not
  const isToCome = written._header === null;
  const added = fields.filter(isSendable);
  if (!isToCome)
    for (const [name, value] of added)
      outgoing.setHeader(name, addedValue(name, value, outgoing.getHeader(name)));
  const result = write();
  const head = written._header;
  if (!isToCome || typeof head !== 'string' || !head.endsWith('\r\n\r\n')) return result;
  const own = head.includes('ebug-') ? head.replace(otherRecord, '') : head; // the expression takes longer to find nothing
  let lines = '';
  for (const [name, value] of added) lines += `${name}: ${value}\r\n`;
  written._header = `${own.slice(0, -2)}${lines}\r\n`;
  return result;
}

/** Returns what an added field makes of one of the application. Its cookies and timings are kept. */
export function addedValue(name: string, value: string, former: unknown): string | string[] {
  const isList = name === 'Set-Cookie' || name === 'Server-Timing';
  return isList && former !== undefined ? [...textsOf(former), value] : value;
}

/** Returns a reader for the fields of a head that is about to be written. Fields passed to `writeHead` override earlier ones. */
export function outgoingFields(
  outgoing: ForeignResponse,
  args: readonly unknown[],
): (name: string) => readonly string[] {
  const given = fieldsOf(args);
  return (name) => {
    const found: string[] = [];
    for (const [key, value] of given) if (isNamed(key, name)) found.push(...textsOf(value));
    return found.length > 0 ? found : textsOf(outgoing.getHeader(name));
  };
}

/** Returns the names and values of the fields among the arguments of `writeHead`. */
export function fieldsOf(args: readonly unknown[]): readonly (readonly [name: unknown, value: unknown])[] {
  const given = args[placeOfFields(args)];
  if (typeof given !== 'object' || given === null) return [];
  if (!Array.isArray(given)) return Object.entries(given);
  const flat: unknown[] = given.flat();
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]] as const] : []));
}

function isNamed(field: unknown, name: string): boolean {
  const text = String(field);
  return text.length === name.length && text.toLowerCase() === name.toLowerCase();
}

export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value === undefined ? noValues : [value].flat().map(String);
}
