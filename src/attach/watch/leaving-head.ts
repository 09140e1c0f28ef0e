import { validateHeaderName, validateHeaderValue } from 'node:http';
import { addToolbar } from '#profiler';
import type { HttpRequest } from '#http';
import { replaceMethod } from '#patches';
import type { ForeignResponse } from './foreign-message.js';
import { outgoingFields, placeOfFields } from './head-fields.js';

type Leave = (args: unknown[]) => unknown;

/** What the toolbar is made of. */
interface Place {
  readonly request: HttpRequest;
  readonly token: string;
  readonly prefix: string;
}

/** Encodings in which a text's characters below 128 are its bytes. */
const asciiLikeEncodings = /^(?:utf-?8|latin1|binary|ascii)$/i;

/**
 * Puts the toolbar into a page that is written in one go: whose only chunk is what `end` is given. Where `writeHead` was called
 * before, in the same turn, the head has not left yet: Node writes it with the first chunk. It is held until that comes, at
 * the latest until the turn ends; in the meantime the response reports that its head is sent.
 */
export class LeavingHead {
  readonly #outgoing: ForeignResponse;
  readonly #place: Place;
  /** From the first byte on Node itself reads the head, which is not held then. */
  #hasBegun = false;
  #held: { readonly args: unknown[]; readonly leave: Leave } | undefined;

  constructor(outgoing: ForeignResponse, place: Place) {
    this.#outgoing = outgoing;
    this.#place = place;
  }

  /** Keeps the head of what may be such a page; false where it is to be written at once. */
  holds(args: unknown[], leave: Leave): boolean {
    const outgoing = this.#outgoing;
    const [type = ''] = this.#hasBegun ? [] : outgoingFields(outgoing, args)('content-type');
    if (!/^text\/html\b/i.test(type) || !isTaken(args, outgoing)) return false;
    this.#held = { args, leave };
    Object.defineProperty(outgoing, 'headersSent', { value: true, configurable: true });
    const [status, reason] = args;
    if (typeof status === 'number') outgoing.statusCode = status;
    if (typeof reason === 'string' && !('stream' in outgoing)) outgoing.statusMessage = reason;
    process.nextTick(() => this.release());
    // Node refuses them once the head has left, and says so.
    for (const name of ['setHeader', 'appendHeader', 'removeHeader'])
      replaceMethod(outgoing, name, (former, given) => {
        this.release();
        return Reflect.apply(former, outgoing, given);
      });
    return true;
  }

  /** Bytes are about to leave. */
  begin(): void {
    this.#hasBegun = true;
    this.release();
  }

  release(change: (args: unknown[]) => unknown[] = (args) => args): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const { statusCode } = this.#outgoing;
    held.leave(change(held.args));
    this.#outgoing.statusCode = statusCode; // may have been set meanwhile, to no effect
  }

  /** The arguments for `end`, with the toolbar where it may be. */
  end(given: unknown[]): unknown[] {
    const outgoing = this.#outgoing;
    this.#hasBegun = true;
    const [body, encoding] = given;
    const held = this.#held?.args;
    const page =
      (held === undefined && outgoing.headersSent) || !isAsciiLike(encoding)
        ? undefined
        : addToolbar(
            {
              status: typeof held?.[0] === 'number' ? held[0] : outgoing.statusCode,
              fields: outgoingFields(outgoing, held ?? []),
              body,
            },
            this.#place,
          );
    if (page === undefined) {
      this.release();
      return given;
    }
    // Where an adapter has set the length beside the fields: @hono/node-server does.
    if (typeof Reflect.get(outgoing, '_contentLength') === 'number')
      Reflect.set(outgoing, '_contentLength', Buffer.byteLength(page.body));
    if (held === undefined) setFields(outgoing, page.fields);
    this.release((args) => changeFields(outgoing, args, page.fields));
    return [page.body, ...given.slice(1)];
  }
}

/** Whether Node takes a head as it is: what it refuses it has to refuse where it was given. Lists of names and values leave at once. */
function isTaken(args: readonly unknown[], outgoing: ForeignResponse): boolean {
  const [status, given] = args;
  const fields = args[placeOfFields(args)] ?? {};
  const reason: unknown = typeof given === 'string' ? given : outgoing.statusMessage;
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599 || Array.isArray(fields))
    return false;
  try {
    if (typeof reason === 'string') validateHeaderValue('reason', reason);
    for (const [name, value] of Object.entries(fields)) {
      validateHeaderName(name);
      for (const one of [value].flat()) validateHeaderValue(name, one as string); // which is what it finds out
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
