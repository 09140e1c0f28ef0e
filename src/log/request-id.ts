import { randomFillSync } from 'node:crypto';
import { type Scope, type ScopeKey, createScopeKey, currentScope } from '#scope';

/** The id of a request where it brought one, or was given one. */
const requestId: ScopeKey<string> = createScopeKey<string>('request id');

/**
 * The id of a request in logs, answers and other services; created on first use (32 hexadecimal digits). A sub-request
 * has the id of its parent.
 */
export function requestIdOf(scope: Scope): string {
  if (scope.parent !== undefined) return requestIdOf(scope.parent);
  let id = scope.get(requestId);
  if (id === undefined) scope.set(requestId, (id = makeId()));
  return id;
}

/** Takes over the id that a request brought. */
export function takeRequestId(scope: Scope, id: string): void {
  scope.set(requestId, id);
}

/** The id of the request that this code runs for; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  const scope = currentScope();
  return scope === undefined ? undefined : requestIdOf(scope);
}

const idBytes = 16;
/** Random bytes are fetched for many ids at once: the call costs more than the bytes. */
const randomBytes = Buffer.alloc(idBytes * 2048);
let usedBytes = randomBytes.length; // of these bytes, by ids that were given

function makeId(): string {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes);
    usedBytes = 0;
  }
  usedBytes += idBytes;
  return randomBytes.toString('hex', usedBytes - idBytes, usedBytes);
}
