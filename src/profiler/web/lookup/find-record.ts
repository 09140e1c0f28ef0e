import type { HttpRequest } from '#http';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { PruneReason, RecordLookup } from '../../model/record-lookup.js';
import { isToken } from '../../find/is-token.js';
import type { Phrase } from '../../words/phrases.js';
import type { Miss } from './miss-page.js';
import { withOriginalPlaces } from './original-places.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say } from '../../words/say.js';

export type FoundRecord =
  | { readonly kind: 'found'; readonly record: ProfileRecord }
  | { readonly kind: 'miss'; readonly miss: Miss };

/** The record of a token or of `latest`, or why there is none (contract P7). */
export async function findRecord(
  site: ProfilerSite,
  request: HttpRequest,
  token: string,
): Promise<FoundRecord> {
  if (token !== 'latest' && !isToken(token)) return missed(malformed(token));
  const lookup = await site.reader.find(token);
  if (lookup.kind === 'found')
    return { kind: 'found', record: withOriginalPlaces(lookup.record, site.sources) };
  if (token === 'latest') return missed(nothingYet());
  const wait = site.misses.miss(request.clientAddress ?? '');
  return missed(wait === undefined ? explainMiss(lookup, token) : tooMany(wait));
}

function explainMiss(lookup: Exclude<RecordLookup, { kind: 'found' }>, token: string): Miss {
  switch (lookup.kind) {
    case 'pruned':
      return purged(token, lookup.by);
    case 'missing':
      return notKept(token, lookup);
    case 'unwritten':
      return notWritten(token);
    case 'malformed':
      return malformed(token);
    case 'unreadable':
      return unreadable(token, lookup.message);
    case 'never':
      return neverSeen(token);
  }
}

function missed(miss: Miss): FoundRecord {
  return { kind: 'miss', miss };
}

function malformed(token: string): Miss {
  return {
    status: 404,
    kind: 'malformed',
    title: say('“{token}” is not a record token', { token: token.slice(0, 100) }),
    detail: say(
      'It is malformed: a token has 6 to 32 characters, each a digit or a letter from a to f in lower case. The X-Debug-Token header of every response holds one. “latest” names the newest record.',
    ),
  };
}

function nothingYet(): Miss {
  return {
    status: 404,
    kind: 'never-seen',
    title: say('No request has been recorded yet'),
    detail: say('Open a page of the application, then come back: its record will be here at once.'),
  };
}

function neverSeen(token: string): Miss {
  return {
    status: 404,
    kind: 'never-seen',
    title: say('No record {token}', { token }),
    detail: say(
      'This token was never seen here: this store never issued it. It may come from another application or another store.',
    ),
  };
}

const limitWords: Readonly<Record<PruneReason, Phrase>> = {
  count: 'It existed, and was removed by the limit on the number of records. Raise that limit to keep more.',
  age: 'It existed, and was removed by the limit on age. Raise that limit to keep records longer.',
  bytes: 'It existed, and was removed by the limit on the size of the store. Raise that limit to keep more.',
  purge: 'It existed, and was removed with all others: all records were deleted manually or by an upgrade.',
};

function purged(token: string, by: PruneReason | null): Miss {
  return {
    status: 404,
    kind: 'purged',
    title: say('Record {token} was purged', { token }),
    detail: say(
      by === null ? 'It existed, and was removed; the limit that removed it is not known.' : limitWords[by],
    ),
  };
}

function notWritten(token: string): Miss {
  return {
    status: 404,
    kind: 'not-written',
    title: say('The record {token} is not written yet', { token }),
    detail: say(
      'Another process that uses this store gave out the token and is still running. It writes records some 50 ms after the end of the request: the request is under way, or its record was dropped there.',
    ),
  };
}

function unreadable(token: string, message: string): Miss {
  return {
    status: 404,
    kind: 'unreadable',
    title: say('The record {token} cannot be read', { token }),
    detail: message,
  };
}

/** What is known of it. */
function reasonOf({ isDropped, isSetAside }: Extract<RecordLookup, { kind: 'missing' }>): Phrase {
  if (isDropped === true)
    return 'A request had this token, but its record was dropped: the store did not take it, and too many were waiting.';
  if (isSetAside === true)
    return 'The file of this store was damaged and was set aside, with the records in it; this may be one of them.';
  return 'A request had this token, but its record was dropped or lost with its process.';
}

function notKept(token: string, lookup: Extract<RecordLookup, { kind: 'missing' }>): Miss {
  return {
    status: 404,
    kind: 'not-kept',
    title: say('Record {token} was not kept', { token }),
    detail: `${say(reasonOf(lookup))} ${say('The counters below the list of requests show how many were dropped, and why.')}`,
  };
}

function tooMany(wait: number): Miss {
  return {
    status: 429,
    kind: 'too-many-misses',
    title: say('Too many unknown tokens'),
    detail: say(
      'This client asked for more than 30 records that do not exist within a minute. Try again in {n} s.',
      { n: wait },
    ),
    retryAfter: wait,
  };
}
