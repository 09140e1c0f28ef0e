import { setTimeout as pause } from 'node:timers/promises';
import { asOwnWait } from '#core/scope';
import type { ErrorFacts, FactSources } from '../web/record/read-error-facts.js';

/** Maximum time that the error page waits for the store, in milliseconds. */
const maxWaitMs = 250;

/**
 * Finds the facts shown on an in-flight request's error page: the failed statement, how often the error occurred
 * before, and the route's last successful request. Never rejects, and takes at most 250 ms, which count as the
 * profiler's time; anything later is omitted.
 */
export function findErrorFacts(sources: FactSources, token: string): Promise<ErrorFacts> {
  return asOwnWait(() => waitForFacts(sources, token));
}

async function waitForFacts(sources: FactSources, token: string): Promise<ErrorFacts> {
  const found: { -readonly [Name in keyof ErrorFacts]: ErrorFacts[Name] } = {};
  const over = new AbortController();
  const end = pause(maxWaitMs, undefined, { signal: over.signal }).catch(() => undefined);
  const search = import('../web/record/read-error-facts.js') // loaded with the first error
    .then(({ readErrorFacts }) => readErrorFacts(sources, token, (facts) => Object.assign(found, facts)))
    .catch(() => undefined);
  await Promise.race([search, end]);
  over.abort();
  return { ...found }; // copied, so that a late search does not change it
}
