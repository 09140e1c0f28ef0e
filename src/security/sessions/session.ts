import { securityErrors } from '../errors/error-codes.js';
import { publishSessionUse } from './session-usage.js';

/** A read-only look at a session, taken without its lock. */
export interface SessionView {
  /** The value, or undefined; the type is the caller's claim. */
  get<Value = unknown>(key: string): Value | undefined;
  has(key: string): boolean;
  keys(): readonly string[];
}

/** Where flash messages are kept. */
const flashKey = '_flash';
const maxFlashes = 20;

/**
 * The values of one visitor, locked for this request. They are stored at the response event, including changes inside
 * values; values that cannot be written as JSON are refused there.
 */
export class Session implements SessionView {
  #values: Map<string, unknown>;
  #stored: string;
  #newId: 'none' | 'moved' | 'fresh' = 'none';
  #closed = false;

  /** `data` is what a former `serialize` gave; nothing for a session that begins. */
  constructor(data = '[]') {
    this.#values = parseValues(data);
    this.#stored = data;
  }

  get<Value = unknown>(key: string): Value | undefined {
    publishSessionUse('read', key);
    return this.#values.get(key) as Value | undefined; // the caller's claim, as documented
  }

  has(key: string): boolean {
    publishSessionUse('read', key);
    return this.#values.has(key);
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  set(key: string, value: unknown): void {
    this.#assertOpen();
    publishSessionUse('write', key);
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
  }

  delete(key: string): void {
    this.set(key, undefined);
  }

  /**
   * Keeps a message for the next page that shows messages, also over a redirect. Of one kind (`success`, `error` …) the
   * last twenty are kept.
   */
  flash(kind: string, message: string): void {
    const messages = this.#flashes();
    messages[kind] = [...(messages[kind] ?? []), message].slice(-maxFlashes);
    this.set(flashKey, messages);
  }

  /** The messages of this kind, oldest first. They are read once: afterwards there are none. */
  takeFlashes(kind: string): readonly string[] {
    const { [kind]: found, ...others } = this.#flashes();
    if (found === undefined) return [];
    this.set(flashKey, Object.keys(others).length === 0 ? undefined : others);
    return found;
  }

  /** Gives the session a new id, keeping its values. Call it whenever the permissions of the visitor change. */
  regenerate(): void {
    this.#assertOpen();
    this.#newId = 'fresh';
  }

  /**
   * The same, for changes that are no login: requests in flight with the old id find the session for a few seconds
   * more. Not for a login, whose old id may have been planted.
   */
  move(): void {
    this.#assertOpen();
    if (this.#newId === 'none') this.#newId = 'moved';
  }

  /** Forgets every value, and the id with them. */
  invalidate(): void {
    this.#assertOpen();
    publishSessionUse('write', '*');
    this.#values = new Map();
    this.#newId = 'fresh';
  }

  /** Whether the id is to change when the session is stored. */
  get wantsNewId(): boolean {
    return this.#newId !== 'none';
  }

  /** Whether the old id shall lead on to the new one for a moment. */
  get isMoved(): boolean {
    return this.#newId === 'moved' && this.#values.size > 0;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** The values as text, and whether they differ from what was loaded. Throws `SECURITY_SESSION_VALUE`. */
  serialize(): { data: string; changed: boolean } {
    const entries = [...this.#values].map(
      ([key, value]) => `[${JSON.stringify(key)},${serializeValue(key, value)}]`,
    );
    const data = `[${entries.join(',')}]`;
    return { data, changed: data !== this.#stored };
  }

  /** Called when the session was stored: later writes would be lost, and throw `SECURITY_SESSION_CLOSED`. */
  close(): void {
    this.#closed = true;
  }

  #flashes(): Record<string, readonly string[]> {
    const stored = this.get<Readonly<Record<string, readonly string[]>>>(flashKey);
    return Object.assign(Object.create(null) as Record<string, readonly string[]>, stored); // kinds are anyone's words
  }

  #assertOpen(): void {
    if (this.#closed) throw securityErrors.create('SECURITY_SESSION_CLOSED', {});
  }
}

function serializeValue(key: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw securityErrors.create(
      'SECURITY_SESSION_VALUE',
      { key, problem: 'JSON.stringify throws' },
      { cause },
    );
  }
  if (text === undefined)
    throw securityErrors.create('SECURITY_SESSION_VALUE', { key, problem: 'it is a function or a symbol' });
  return text;
}

/** Text that is no list of pairs gives no values: a store may have been written by someone else. */
function parseValues(data: string): Map<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(data);
    if (!Array.isArray(parsed)) return new Map();
    return new Map(
      parsed.filter(
        (entry): entry is [string, unknown] => Array.isArray(entry) && typeof entry[0] === 'string',
      ),
    );
  } catch {
    return new Map();
  }
}
