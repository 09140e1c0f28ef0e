import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { HttpRequest } from '#http';
import { replaceMethod } from '#patches';
import { addToolbar } from '#profiler';
import type { ForeignResponse } from './foreign-message.js';

type WriteHead = (args: unknown[]) => unknown;

/** The input for the toolbar. */
interface ToolbarInput {
  readonly request: HttpRequest;
  readonly token: string;
  readonly prefix: string;
}

/** Encodings that are supersets of ASCII. */
const asciiLikeEncodings = /^(?:utf-?8|latin1|binary|ascii)$/i;

/**
 * Adds the toolbar to a page that is written in one piece: its only chunk is the argument of `end`. If `writeHead` is
 * called before `end`, the head is deferred, since Node would send it only with the first chunk: until that chunk, at
 * the latest until the next tick. In the meantime, the response reports that its head is sent.
 */
export class OutgoingHead {
  readonly #outgoing: ForeignResponse;
  readonly #toolbar: ToolbarInput;
  /** Set with the first byte: from then on Node itself needs the head, which must not be deferred. */
  #hasBegun = false;
  #deferred: { readonly args: unknown[]; readonly writeHead: WriteHead } | undefined;

  constructor(outgoing: ForeignResponse, toolbar: ToolbarInput) {
    this.#outgoing = outgoing;
    this.#toolbar = toolbar;
  }

  /** Defers the head if the answer may be such a page; returns false if the head must be written at once. */
  defer(args: unknown[], writeHead: WriteHead): boolean {
    const outgoing = this.#outgoing;
    const [type = ''] = this.#hasBegun ? [] : outgoingFields(outgoing, args)('content-type');
    if (!/^text\/html\b/i.test(type) || !isValidHead(args, outgoing)) return false;
    this.#deferred = { args, writeHead };
    Object.defineProperty(outgoing, 'headersSent', { value: true, configurable: true });
    const [status, reason] = args;
    if (typeof status === 'number') outgoing.statusCode = status;
    if (typeof reason === 'string' && !('stream' in outgoing)) outgoing.statusMessage = reason;
    process.nextTick(() => this.release());
    // Written before these calls, so that Node throws its error for changes after the head was sent.
    for (const name of ['setHeader', 'appendHeader', 'removeHeader'])
      replaceMethod(outgoing, name, (former, given) => {
        this.release();
        return Reflect.apply(former, outgoing, given);
      });
    return true;
  }

  /** Called before bytes are sent. */
  begin(): void {
    this.#hasBegun = true;
    this.release();
  }

  /** Writes a deferred head. */
  release(change: (args: unknown[]) => unknown[] = (args) => args): void {
    const deferred = this.#deferred;
    if (deferred === undefined) return;
    this.#deferred = undefined;
    const { statusCode } = this.#outgoing;
    deferred.writeHead(change(deferred.args));
    this.#outgoing.statusCode = statusCode; // keeps an assignment that was made since then, which has no effect on the head
  }

  /** Returns the arguments for `end`, with the toolbar if the page can have it. */
  end(given: unknown[]): unknown[] {
    const outgoing = this.#outgoing;
    this.#hasBegun = true;
    const [body, encoding] = given;
    const deferred = this.#deferred?.args;
    const page =
      (deferred === undefined && outgoing.headersSent) || !isAsciiLike(encoding)
        ? undefined
        : addToolbar(
            {
              status: typeof deferred?.[0] === 'number' ? deferred[0] : outgoing.statusCode,
              fields: outgoingFields(outgoing, deferred ?? []),
              body,
            },
            this.#toolbar,
          );
    if (page === undefined) {
      this.release();
      return given;
    }
    // @hono/node-server sets the length separately from the fields.
    if (typeof Reflect.get(outgoing, '_contentLength') === 'number')
      Reflect.set(outgoing, '_contentLength', Buffer.byteLength(page.body));
    if (deferred === undefined) setFields(outgoing, page.fields);
    this.release((args) => changeFields(outgoing, args, page.fields));
    return [page.body, ...given.slice(1)];
  }
}

/**
 * Whether Node accepts the head. An invalid one is not deferred, so that Node throws in the application's own call.
 * Fields as a list are never deferred.
 */
function isValidHead(args: readonly unknown[], outgoing: ForeignResponse): boolean {
  const [status, given] = args;
  const fields = args[placeOfFields(args)] ?? {};
  const reason: unknown = typeof given === 'string' ? given : outgoing.statusMessage;
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599 || Array.isArray(fields))
    return false;
  try {
    if (typeof reason === 'string') validateHeaderValue('reason', reason);
    for (const [name, value] of Object.entries(fields)) {
      validateHeaderName(name);
      for (const one of [value].flat()) validateHeaderValue(name, one as string); // throws for other types
    }
    return true;
  } catch {
    return false;
  }
}

function isAsciiLike(encoding: unknown): boolean {
  return typeof encoding !== 'string' || asciiLikeEncodings.test(encoding);
}

function setFields(outgoing: ForeignResponse, fields: ReadonlyMap<string, string | undefined>): void {
  for (const [name, value] of fields) {
    if (value === undefined) outgoing.removeHeader(name);
    else outgoing.setHeader(name, value);
  }
}

function changeFields(
  outgoing: ForeignResponse,
  args: readonly unknown[],
  fields: ReadonlyMap<string, string | undefined>,
): unknown[] {
  const at = placeOfFields(args);
  const names = new Set([...fields.keys()].map((name) => name.toLowerCase()));
  const kept = Object.entries(args[at] ?? {}).filter(([name]) => !names.has(name.toLowerCase()));
  for (const name of names) outgoing.removeHeader(name);
  const changed = [...fields].filter(([, value]) => value !== undefined);
  return [...args.slice(0, at), Object.fromEntries([...kept, ...changed]), ...args.slice(at + 1)];
}

/** Fields of another record in a written head: an application may forward the answer of another watched application. */
const otherRecord = /\r\nX-Debug-Token(?:-Link)?:[^\r]*/gi;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
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
}

/** Writes a head with additional fields after those of the application, which are not changed. */
export function writeWith(
  fields: readonly (readonly [name: string, value: string])[],
  outgoing: ForeignResponse,
  write: () => unknown,
): unknown {
  const written = outgoing as WrittenHead; // only HTTP/1.1 has it
  const isToCome = written._header === null; // not null for HTTP/2
  let lines = '';
  for (const [name, value] of fields) {
    if (!fieldValue.test(value)) continue;
    if (isToCome) lines += `${name}: ${value}\r\n`;
    else addField(outgoing, name, value);
  }
  const result = write();
  const head = written._header;
  if (!isToCome || typeof head !== 'string' || !head.endsWith('\r\n\r\n')) return result;
  const own = head.includes('ebug-') ? head.replace(otherRecord, '') : head; // the expression takes longer to find nothing
  written._header = `${own.slice(0, -2)}${lines}\r\n`;
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
