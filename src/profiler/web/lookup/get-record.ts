import type { ProfileRecord } from '../../model/profile-record.js';
import type { PruneReason, RecordLookup } from '../../model/record-lookup.js';
import { isToken } from '../../record/token.js';
import { withOriginalPlaces } from './original-places.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say } from '#phrases';

/** Explains why there is nothing to show, with links to alternatives. */
export interface Miss {
  readonly status: 400 | 403 | 404 | 409 | 502;
  /** Machine-readable kind: `never-seen`, `purged`, `not-kept`, `malformed`, `unknown-panel`, … */
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  /** Available alternatives. */
  readonly choices?: readonly { readonly label: string; readonly href: string }[];
  /** Further members of the problem document. */
  readonly more?: object;
}

/** Thrown if there is nothing to show. Page routes render it as a page, data routes as a problem document. */
export class Missing extends Error {
  readonly #miss: Miss;
  constructor(miss: Miss) {
    super(miss.title);
    this.#miss = miss;
  }

  /** Returns the miss of a `Missing`; undefined for any other thrown value. A private-field check that no Proxy can trap. */
  static of(thrown: unknown): Miss | undefined {
    return typeof thrown === 'object' && thrown !== null && #miss in thrown ? thrown.#miss : undefined;
  }
}

/** Returns the record of a token or of `latest`. Throws `Missing` with the reason if there is none (contract P7). */
export async function getRecord(site: ProfilerSite, token: string): Promise<ProfileRecord> {
  return (await getMarkedRecord(site, token)).record;
}

/** Returns a record with its mark, like `getRecord`. */
export async function getMarkedRecord(
  site: ProfilerSite,
  token: string,
): Promise<Omit<Extract<RecordLookup, { kind: 'found' }>, 'kind'>> {
  if (token !== 'latest' && !isToken(token)) throw new Missing(malformed(token));
  const lookup = await site.reader.find(token);
  if (lookup.kind === 'found') return { ...lookup, record: withOriginalPlaces(lookup.record, site.sources) };
  if (token === 'latest') throw new Missing(nothingYet());
  throw new Missing(explainMiss(lookup, token));
}

function explainMiss(lookup: Exclude<RecordLookup, { kind: 'found' }>, token: string): Miss {
  switch (lookup.kind) {
    case 'pruned':
      return miss('purged', say('Record {token} was purged', { token }), limitWords[lookup.by ?? 'unknown']);
    case 'missing':
      return miss(
        'not-kept',
        say('Record {token} was not kept', { token }),
        'A request had this token, but its record is not here: it is not written yet, was dropped because too many waited for a store that failed, or was lost with its process. The counters below the list of requests show how many were dropped, and why.',
      );
    case 'malformed':
      return malformed(token);
    case 'unreadable':
      return miss('unreadable', say('The record {token} cannot be read', { token }), lookup.message);
    case 'never':
      return miss(
        'never-seen',
        say('No record {token}', { token }),
        'This token was never seen here: this store never issued it. It may come from another application or another store.',
      );
  }
}

function miss(kind: string, title: string, detail: string): Miss {
  return { status: 404, kind, title, detail };
}

function malformed(token: string): Miss {
  return miss(
    'malformed',
    say('“{token}” is not a record token', { token: token.slice(0, 100) }),
    'It is malformed: a token has 6 to 32 characters, each a digit or a letter from a to f in lower case. The X-Debug-Token header of every response holds one. “latest” names the newest record.',
  );
}

function nothingYet(): Miss {
  return miss(
    'never-seen',
    'No request has been recorded yet',
    'Open a page of the application, then come back: its record will be here at once.',
  );
}

const limitWords: Readonly<Record<PruneReason | 'unknown', string>> = {
  unknown: 'It existed, and was removed; the limit that removed it is not known.',
  count: 'It existed, and was removed by the limit on the number of records. Raise that limit to keep more.',
  age: 'It existed, and was removed by the limit on age. Raise that limit to keep records longer.',
  bytes: 'It existed, and was removed by the limit on the size of the store. Raise that limit to keep more.',
  purge: 'It existed, and was removed with all others: all records were deleted manually or by an upgrade.',
};
