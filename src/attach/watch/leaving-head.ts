import { addToolbar } from '#profiler';
import type { HttpRequest } from '#http';
import type { ForeignResponse } from './foreign-message.js';
import { outgoingFields } from './message-methods.js';

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
 * the latest until the turn ends; in the meantime the response says of itself that its head is sent.
 */
export class LeavingHead {
  readonly #outgoing: ForeignResponse;
  readonly #place: Place;
  /** From the first byte on Node itself asks for the head, which is not held then. */
  #hasBegun = false;
  #held: { readonly args: unknown[]; readonly leave: Leave } | undefined;

  constructor(outgoing: ForeignResponse, place: Place) {
    this.#outgoing = outgoing;
    this.#place = place;
  }

  /** Keeps the head of what may be such a page; false where it is to be written at once. */
  holds(args: unknown[], leave: Leave): boolean {
    const outgoing = this.#outgoing;
    const [type = ''] = outgoingFields(outgoing, args)('content-type');
    const fields = args[typeof args[1] === 'string' ? 2 : 1];
    if (this.#hasBegun || outgoing.headersSent || Array.isArray(fields) || !/^text\/html\b/i.test(type))
      return false;
    this.#held = { args, leave };
    Object.defineProperty(outgoing, 'headersSent', { value: true, configurable: true });
    process.nextTick(() => this.release());
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
    Reflect.deleteProperty(this.#outgoing, 'headersSent');
    held.leave(change(held.args));
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
  const at = typeof args[1] === 'string' ? 2 : 1;
  const names = new Set([...fields.keys()].map((name) => name.toLowerCase()));
  const kept = Object.entries(args[at] ?? {}).filter(([name]) => !names.has(name.toLowerCase()));
  for (const name of names) outgoing.removeHeader(name);
  const changed = [...fields].filter(([, value]) => value !== undefined);
  return [...args.slice(0, at), Object.fromEntries([...kept, ...changed]), ...args.slice(at + 1)];
}
