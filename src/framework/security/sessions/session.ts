import { channel } from 'node:diagnostics_channel';
import { withoutLostValues } from '#core/http';
import { captureCallSites, type StackPlace } from '#core/errors';
import { securityErrors } from '../secrets/error-codes.js';

/** A read-only view of a session, read without its lock. */
export type SessionView = Pick<Session, 'get' | 'has' | 'keys'>;

const flashKey = '_flash';
const maxFlashes = 20;

/**
 * A visitor's session, locked for this request. The values are stored at the response event, including changes inside
 * values; values that cannot be serialised as JSON are then refused.
 */
export class Session {
  #values: Map<string, unknown>;
  #stored: string;
  #wantsNewId = false;
  #wasInvalidated = false;
  /** Why the session can no longer be changed. */
  #closed: string | undefined;

  /** `data` is what an earlier `serialize` returned; omit it for a new session. */
  constructor(data = '[]') {
    this.#values = parseValues(data);
    this.#stored = data;
  }

  /** Returns a read-only view of stored values, which are deeply frozen: a change inside them would be lost. */
  static view(data: string): SessionView {
    return Session.#readOnly(data, 'this is a read-only view');
  }

  /** Returns the session as it is after the response has begun: read-only, like a view. */
  static late(data: string | undefined): Session {
    return Session.#readOnly(data, tooLate);
  }

  static #readOnly(data: string | undefined, reason: string): Session {
    const session = new Session(data);
    session.#closed = reason;
    for (const value of session.#values.values()) freezeDeep(value);
    return session;
  }

  /** Returns the value, or undefined. The type is not checked. */
  get<Value = unknown>(key: string): Value | undefined {
    publishSessionUse('read', key);
    return this.#values.get(key) as Value | undefined; // not checked, as documented
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
   * Stores a message for the next page, even after a redirect; keeps the last twenty of each kind (`success`, `error`
   * …).
   */
  flash(kind: string, message: string): void {
    const messages = this.#flashes();
    messages[kind] = [...(messages[kind] ?? []), message].slice(-maxFlashes);
    this.set(flashKey, messages);
  }

  /** Returns and removes this kind's messages, oldest first; without a kind, all messages by kind. */
  takeFlashes(): Readonly<Record<string, readonly string[]>>;
  takeFlashes(kind: string): readonly string[];
  takeFlashes(...kinds: [kind?: string]): readonly string[] | Readonly<Record<string, readonly string[]>> {
    const flashes = this.#flashes();
    if (kinds.length === 0) {
      if (Object.keys(flashes).length > 0) this.set(flashKey, undefined);
      return flashes;
    }
    const { [kinds[0] ?? '']: found, ...others } = flashes;
    if (found === undefined) return [];
    this.set(flashKey, Object.keys(others).length === 0 ? undefined : others);
    return found;
  }

  /** Changes the session id and keeps the values. Call it whenever the visitor's permissions change. */
  regenerate(): void {
    this.#assertOpen();
    this.#wantsNewId = true;
  }

  /** Removes all values and changes the session id. */
  invalidate(): void {
    this.#assertOpen();
    publishSessionUse('write', '*');
    this.#values = new Map();
    this.#wantsNewId = true;
    this.#wasInvalidated = true;
  }

  get wasInvalidated(): boolean {
    return this.#wasInvalidated;
  }

  /** Whether the id must change when the session is stored. */
  get wantsNewId(): boolean {
    return this.#wantsNewId;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Returns the values as text, and whether they differ from the loaded ones. Throws `SECURITY_SESSION_VALUE`. */
  serialize(): { data: string; changed: boolean } {
    const entries = [...this.#values].map(
      ([key, value]) => `[${JSON.stringify(key)},${serializeValue(key, value)}]`,
    );
    const data = `[${entries.join(',')}]`;
    return { data, changed: data !== this.#stored };
  }

  /** Takes over the values of an earlier session, unless others have been set. */
  adopt(data: string): void {
    for (const [key, value] of parseValues(data)) if (!this.#values.has(key)) this.#values.set(key, value);
  }

  /** Called when the session is stored. Later writes would be lost, so they throw `SECURITY_SESSION_CLOSED`. */
  close(): void {
    this.#closed = tooLate;
    if (uses.hasSubscribers) this.#publishChanges();
  }

  /** Publishes the changes made by security itself: the id, and the signed-in user. */
  #publishChanges(): void {
    const publish = (operation: SessionUse['operation'], key: string): void =>
      uses.publish({ operation, key, location: undefined } satisfies SessionUse);
    if (this.#wantsNewId) publish('id changed', '');
    const before = parseValues(this.#stored);
    for (const key of new Set([...before.keys(), ...this.#values.keys()])) {
      if (!key.startsWith('_security')) continue;
      if (!this.#values.has(key)) publish('removed', key);
      else if (!before.has(key)) publish('stored', key);
      else if (JSON.stringify(before.get(key)) !== JSON.stringify(this.#values.get(key)))
        publish('changed', key);
    }
  }

  #flashes(): Record<string, readonly string[]> {
    const stored = this.get<Readonly<Record<string, readonly string[]>>>(flashKey);
    return Object.assign(Object.create(null) as Record<string, readonly string[]>, stored); // without a prototype, because a kind can be any string
  }

  #assertOpen(): void {
    if (this.#closed !== undefined)
      throw securityErrors.create('SECURITY_SESSION_CLOSED', { reason: this.#closed });
  }
}

const tooLate = 'the response has begun, and sessions are stored before it';

/** Freezes plain data, as parsed from JSON. */
function freezeDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freezeDeep(inner);
}

/** Returns serialised values without security's own, that is, without the login. */
export function withoutLogins(data: string): string {
  const kept = [...parseValues(data)].filter(([key]) => !key.startsWith('_security'));
  return JSON.stringify(kept);
}

function serializeValue(key: string, value: unknown): string {
  try {
    const text = JSON.stringify(value) as string | undefined; // undefined for a function or a symbol
    if (text !== undefined) return withoutLostValues(text, value);
  } catch (cause) {
    throw securityErrors.create('SECURITY_SESSION_VALUE', { key }, { cause });
  }
  throw securityErrors.create('SECURITY_SESSION_VALUE', { key });
}

/** Parses stored values. Returns none if the text is not a list of pairs: the store may contain foreign data. */
function parseValues(data: string): Map<string, unknown> {
  try {
    const parsed = JSON.parse(data) as unknown[]; // anything else throws below
    const isPair = (entry: unknown): entry is [string, unknown] =>
      Array.isArray(entry) && typeof entry[0] === 'string';
    return new Map(parsed.filter(isPair));
  } catch {
    return new Map();
  }
}

/**
 * Published on `lookback:security:session` whenever the application reads or writes a session value, and when a session
 * is stored whose id or signed-in user security has changed. `not stored`: the request's changes were dropped, because
 * another request had already replaced its session id.
 */
export interface SessionUse {
  readonly operation: 'read' | 'write' | 'id changed' | 'stored' | 'changed' | 'removed' | 'not stored';
  readonly key: string;
  /** The application call's location; undefined for changes by security. */
  readonly location: StackPlace | undefined;
}

const uses = channel('lookback:security:session');

/** Publishes that a request's changes were dropped. */
export function publishNotStored(): void {
  if (uses.hasSubscribers)
    uses.publish({ operation: 'not stored', key: '', location: undefined } satisfies SessionUse);
}

/** Publishes a session access. The call site is only captured if there is a subscriber. */
function publishSessionUse(operation: 'read' | 'write', key: string): void {
  // These keys belong to security itself, not to the application.
  if (!uses.hasSubscribers || key.startsWith('_security')) return;
  const [location] = captureCallSites(publishSessionUse, { depth: 4, limit: 1 })();
  uses.publish({ operation, key, location } satisfies SessionUse);
}
