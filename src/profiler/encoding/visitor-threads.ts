import { hash, randomBytes } from 'node:crypto';
import { findField, parseCookies } from '#core/http';

/** Common names of session cookies, optionally with a `__Host-` or `__Secure-` prefix. */
const sessionName = /^(?:__Host-|__Secure-)?(?:session|sessionid|sid|connect\.sid|PHPSESSID|JSESSIONID)$/;
const setCookie = 'set-cookie';
/** Cheap test that avoids parsing cookie headers without a session cookie. */
const sessionHint = /session|sid/i;
/** Maximum number of cached sessions with a changed id. Only hashes are kept, not ids. */
const maxVisitors = 5_000;

/**
 * Groups one session's requests by a hash of its cookie, keyed with a random key that the process creates; neither the
 * session id nor the address is recorded for this. If a response changes the id, as a login does, the new id is linked
 * to the old one.
 */
export class VisitorThreads {
  readonly #key: string = randomBytes(32).toString('hex');
  /** Hash of a later session id → hash of the session's first id. */
  readonly #first = new Map<string, string>();

  /** Returns 16 hexadecimal digits; null without a session cookie. Both lists alternate names and values. */
  visitorOf(headers: readonly string[], sent: readonly string[]): string | null {
    const cookie = findField(headers, 'cookie') ?? '';
    const received = sessionHint.test(cookie) ? this.#fromRequest(cookie) : undefined;
    const set = this.#fromResponse(sent);
    if (received === undefined || set === undefined || received === set) return received ?? set ?? null;
    if (this.#first.size >= maxVisitors)
      for (const oldest of this.#first.keys()) if (this.#first.delete(oldest)) break;
    this.#first.set(set, received);
    return received;
  }

  #fromRequest(cookie: string): string | undefined {
    for (const [name, value] of parseCookies(cookie))
      if (value !== '' && sessionName.test(name)) return this.#visitor(name, value);
    return undefined;
  }

  #fromResponse(sent: readonly string[]): string | undefined {
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
