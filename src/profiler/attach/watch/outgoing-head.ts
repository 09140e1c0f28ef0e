import type { HttpRequest } from '#core/http';
import { addToolbar, beginToolbar, hasToolbar } from '#profiler';
import type { ForeignResponse } from './foreign-message.js';

export interface ToolbarInput {
  readonly request: HttpRequest;
  readonly token: string;
  readonly prefix: string;
  /** Whether the head was sent before the body, valid both with and without the toolbar. */
  isAwaited: boolean;
}

/** Encodings that extend ASCII. */
const asciiLikeEncodings = /^(?:utf-?8|latin1|binary|ascii)$/i;

/** Returns the arguments for `end`, including the toolbar if they are a whole page that can have it. */
export function withToolbar(outgoing: ForeignResponse, given: unknown[], toolbar: ToolbarInput): unknown[] {
  const page = changedPage(outgoing, given, { toolbar, add: addToolbar });
  return page === undefined ? given : [page.body, ...given.slice(1)];
}

/** Without a length, the changes to a head depend only on the end of the page. */
export const anyPage = '…</body>';

/** Prepares an HTTP/1.1 head that is sent before the body; `respondWith` does the same for HTTP/2. */
export function prepareHead(outgoing: ForeignResponse, toolbar: ToolbarInput): void {
  if ('stream' in outgoing || fieldsSoFar(outgoing)('content-length').length > 0) return;
  toolbar.isAwaited = changedPage(outgoing, [anyPage], { toolbar, add: addToolbar }) !== undefined;
}

/** A page sent in parts, with the toolbar after the last. */
export interface PageInParts {
  readonly tag: string;
  /** The last part written. */
  last: unknown;
}

/**
 * Prepares a page's head for the toolbar, given the arguments of its first `write`; undefined if there will be none.
 */
export function beginPage(
  outgoing: ForeignResponse,
  given: readonly unknown[],
  toolbar: ToolbarInput,
): PageInParts | undefined {
  const page = changedPage(outgoing, given, { toolbar, add: beginToolbar });
  return page === undefined ? undefined : { tag: String(page.body), last: given[0] };
}

/** Returns the arguments for `end`, with the toolbar appended. */
export function endPage({ tag, last }: PageInParts, given: readonly unknown[]): unknown[] {
  const [chunk, encoding] = given;
  const callbacks = given.filter((one) => typeof one === 'function');
  const isBody = typeof chunk === 'string' || chunk instanceof Uint8Array;
  // Node rejects other chunks, and unknown encodings.
  if (!isBody && chunk !== undefined && chunk !== null && typeof chunk !== 'function') return [...given];
  if (typeof encoding === 'string' && !Buffer.isEncoding(encoding)) return [...given];
  const isChunk = isBody && chunk.length > 0;
  const end = isChunk ? chunk : last;
  const hasOne = (typeof end === 'string' || end instanceof Uint8Array) && hasToolbar(end);
  const added = hasOne ? ' '.repeat(tag.length) : tag; // its length may already be part of Content-Length
  if (!isChunk) return [added, ...callbacks];
  const isText = typeof chunk === 'string';
  const bytes = isText ? Buffer.from(chunk, isEncoding(encoding) ? encoding : 'utf8') : chunk;
  return [Buffer.concat([bytes, Buffer.from(added)]), ...callbacks];
}

function isEncoding(value: unknown): value is BufferEncoding {
  return typeof value === 'string' && Buffer.isEncoding(value);
}

/**
 * Returns the result of applying `add` to a page about to be sent, and changes its head accordingly. The head from
 * HTTP/1.1's `writeHead` is sent with the first chunk, so it is changed as text; an HTTP/2 head is sent at once,
 * prepared for both.
 */
function changedPage(
  outgoing: ForeignResponse,
  [body, encoding]: readonly unknown[],
  { toolbar, add }: { readonly toolbar: ToolbarInput; readonly add: typeof addToolbar },
): ReturnType<typeof addToolbar> {
  const written = outgoing as WrittenHead; // only HTTP/1.1 has it
  const head = typeof written._header === 'string' ? written._header : undefined;
  const isSent = head === undefined ? outgoing.headersSent : written._headerSent === true;
  if (isSent && !toolbar.isAwaited) return undefined;
  if (typeof encoding === 'string' && !asciiLikeEncodings.test(encoding)) return undefined;
  const fields = fieldsSoFar(outgoing);
  const page = add({ status: outgoing.statusCode, fields, body }, toolbar);
  if (page === undefined || isSent) return page;
  if (head !== undefined) written._header = changeHead(head, page.fields);
  else for (const [name, value] of page.fields) outgoing.setHeader(name, value);
  // The length that Node compares with the bytes written; @hono/node-server sets it separately from the fields.
  const length: unknown = Reflect.get(outgoing, '_contentLength');
  if (typeof length === 'number') Reflect.set(outgoing, '_contentLength', length + page.added);
  return page;
}

/** Returns a reader for a response's header fields, taken from the head if it is written. */
function fieldsSoFar(outgoing: ForeignResponse): (name: string) => readonly string[] {
  const { _header: head } = outgoing as WrittenHead; // as in `changedPage`
  return typeof head === 'string' ? (name) => fieldsInHead(head, name) : outgoingFields(outgoing, []);
}

/** Finds fields by their name in lower case. Does not split the head, because hardly any response is a page. */
function fieldsInHead(head: string, name: string): readonly string[] {
  const found: string[] = [];
  const { length } = name;
  for (let end = head.indexOf('\r\n'); end !== -1;) {
    const at = end + 2;
    end = head.indexOf('\r\n', at);
    if (head[at + length] === ':' && head.slice(at, at + length).toLowerCase() === name)
      found.push(head.slice(at + length + 1, end === -1 ? undefined : end).trim());
  }
  return found;
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

/** Another record's headers in a written head: an application may forward a response from another watched application. */
const otherRecord = /\r\nX-Debug-Token(?:-Link)?:[^\r]*/gi;
const noValues: readonly string[] = [];

/** Returns whether the body is sent, which is not the case for HEAD, 204 and 304. */
export function takesBody({ req, statusCode }: ForeignResponse): boolean {
  return req?.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

/** Returns which of `writeHead`'s arguments contains the fields. */
function locationOfFields([, reason, fields]: readonly unknown[]): 1 | 2 {
  return typeof reason === 'string' || (fields !== undefined && fields !== null) ? 2 : 1;
}

/**
 * Node's HTTP/1.1 head as text, before it is sent. Other packages, such as on-finished and morgan, use this property
 * too.
 */
interface WrittenHead {
  _header?: unknown;
  /** Whether Node has passed on the head, with the first chunk or before. */
  readonly _headerSent?: boolean;
}

/** Headers added to the application's. */
export type AddedFields = readonly (readonly [name: string, value: string])[];

/** Returns whether a field value can be sent: a record's URL contains the client's Host. */
export function isSendable([, value]: AddedFields[number]): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Checks all values at once, because nearly always all of them can be sent. */
function areSendable(fields: AddedFields): boolean {
  let all = '';
  for (const [, value] of fields) all += value;
  return isSendable(['', all]);
}

/** Writes a head with additional fields after the application's own, which stay unchanged. */
export function writeWith(fields: AddedFields, outgoing: ForeignResponse, write: () => unknown): unknown {
  const written = outgoing as WrittenHead; // HTTP/1.1 has it; responses that are not Node messages may not
  const isToCome = written._header === null;
  const added = areSendable(fields) ? fields : fields.filter(isSendable);
  if (!isToCome)
    for (const [name, value] of added)
      outgoing.setHeader(name, addedValue(name, value, outgoing.getHeader(name)));
  const result = write();
  const head = written._header;
  if (!isToCome || typeof head !== 'string' || !head.endsWith('\r\n\r\n')) return result;
  const own = head.includes('ebug-') ? head.replace(otherRecord, '') : head; // faster than running the expression without a match
  let lines = '';
  for (const [name, value] of added) lines += `${name}: ${value}\r\n`;
  written._header = `${own.slice(0, -2)}${lines}\r\n`;
  return result;
}

/** Combines an added field with the application's value. The application's cookies and timings are kept. */
export function addedValue(name: string, value: string, former: unknown): string | string[] {
  const isList = name === 'Set-Cookie' || name === 'Server-Timing';
  return isList && former !== undefined ? [...textsOf(former), value] : value;
}

/** Returns a reader for the fields in a head about to be written. Fields passed to `writeHead` override earlier ones. */
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

/** Returns field names and values from `writeHead`'s arguments. */
export function fieldsOf(args: readonly unknown[]): readonly (readonly [name: unknown, value: unknown])[] {
  const given = args[locationOfFields(args)];
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
