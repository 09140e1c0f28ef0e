import { setTimeout as pause } from 'node:timers/promises';
import type { ErrorFacts, FactSources } from '../web/record/read-error-facts.js';

/** Milliseconds that the page of an error waits for the store at most. */
const maxWaitMs = 250;

/**
 * Finds what the page of an error shows of the record of its request, which is in flight: the statement that failed, how
 * often the error was seen before, and the last request of the route that worked. Never rejects, and takes at most 250 ms:
 * what is not known by then is left out.
 */
export async function findErrorFacts(sources: FactSources, token: string): Promise<ErrorFacts> {
  const found: { -readonly [Name in keyof ErrorFacts]: ErrorFacts[Name] } = {};
  const over = new AbortController();
  const end = pause(maxWaitMs, undefined, { signal: over.signal }).catch(() => undefined);
  const search = import('../web/record/read-error-facts.js') // loaded with the first error
    .then(({ readErrorFacts }) => readErrorFacts(sources, token, (facts) => Object.assign(found, facts)))
    .catch(() => undefined);
  await Promise.race([search, end]);
  over.abort();
  return { ...found }; // a copy, to which a search that is late adds nothing
}
