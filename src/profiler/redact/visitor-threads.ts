import { hash, randomBytes } from 'node:crypto';
import type { HttpRequest } from '#http';

/** Names under which session ids are sent, `__Host-` and `__Secure-` apart: ours, and those that are common. */
const sessionName = /^(?:__Host-|__Secure-)?(?:session|sessionid|sid|connect\.sid|PHPSESSID|JSESSIONID)$/;
const setCookie = 'set-cookie';
/** What such a cookie must hold: most have none, and are not taken apart. */
const likely = /session|sid/i;
/** Sessions whose id has changed that are remembered, by hashes: no id is kept. */
const maxVisitors = 5_000;

/**
 * Recognises the requests of one session, by a hash of its cookie under a key that is made with the process: never by
 * the id, and not by the address. The response that changes the id, as a login does, ties the new one to the old.
 */
export class VisitorThreads {
  readonly #key: string = randomBytes(32).toString('hex');
  /** The first hash of a session, by the hash of a later id. */
  readonly #first = new Map<string, string>();

  /** 16 hexadecimal digits; null without a session cookie. `sent`: names and values of the response's headers. */
  visitorOf(request: HttpRequest, sent: readonly string[]): string | null {
    const given = likely.test(request.headers.get('cookie') ?? '') ? this.#given(request) : undefined;
    const set = this.#set(sent);
    if (given === undefined || set === undefined || given === set) return given ?? set ?? null;
    if (this.#first.size >= maxVisitors)
      for (const oldest of this.#first.keys()) if (this.#first.delete(oldest)) break;
    this.#first.set(set, given);
    return given;
  }

  #given(request: HttpRequest): string | undefined {
    for (const [name, value] of request.cookies)
      if (value !== '' && sessionName.test(name)) return this.#visitor(name, value);
    return undefined;
  }

  #set(sent: readonly string[]): string | undefined {
    for (let at = 0; at + 1 < sent.length; at += 2) {
      const name = sent[at] ?? '';
      if (name.length !== setCookie.length || name.toLowerCase() !== setCookie) continue;
      const [, cookie = '', value = ''] = /^([^=;]+)=([^;]+)/.exec(sent[at + 1] ?? '') ?? [];
      if (value !== '' && sessionName.test(cookie)) return this.#visitor(cookie, value);
    }
    return undefined;
  }

  #visitor(name: string, value: string): string {
    const visitor = hash('sha256', `${this.#key}${name}=${value}`, 'hex').slice(0, 16);
    return this.#first.get(visitor) ?? visitor;
  }
}
