import type { HttpRequest } from '#http';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { PruneReason, RecordLookup } from '../../model/record-lookup.js';
import { isToken } from '../../find/is-token.js';
import { type Miss, Missing } from './missing.js';
import { withOriginalPlaces } from './original-places.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { type Phrase, say } from '../../words/say.js';

/** Returns the record of a token or of `latest`. Throws `Missing` with the reason if there is none (contract P7). */
export async function getRecord(
  site: ProfilerSite,
  request: HttpRequest,
  token: string,
): Promise<ProfileRecord> {
  if (token !== 'latest' && !isToken(token)) throw new Missing(malformed(token));
  const lookup = await site.reader.find(token);
  if (lookup.kind === 'found') return withOriginalPlaces(lookup.record, site.sources);
  if (token === 'latest') throw new Missing(nothingYet());
  const wait = site.misses.miss(request.clientAddress ?? '');
  throw new Missing(wait === undefined ? explainMiss(lookup, token) : tooMany(wait));
}

function explainMiss(lookup: Exclude<RecordLookup, { kind: 'found' }>, token: string): Miss {
  switch (lookup.kind) {
    case 'pruned':
      return miss(
        'purged',
        say('Record {token} was purged', { token }),
        say(limitWords[lookup.by ?? 'unknown']),
      );
    case 'missing':
      return miss(
        'not-kept',
        say('Record {token} was not kept', { token }),
        `${say(reasonOf(lookup))} ${say('The counters below the list of requests show how many were dropped, and why.')}`,
      );
    case 'unwritten':
      return miss(
        'not-written',
        say('The record {token} is not written yet', { token }),
        say(
          'Another process that uses this store gave out the token and is still running. It writes records some 50 ms after the end of the request: the request is under way, or its record was dropped there.',
        ),
      );
    case 'malformed':
      return malformed(token);
    case 'unreadable':
      return miss('unreadable', say('The record {token} cannot be read', { token }), lookup.message);
    case 'never':
      return miss(
        'never-seen',
        say('No record {token}', { token }),
        say(
          'This token was never seen here: this store never issued it. It may come from another application or another store.',
        ),
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
    say(
      'It is malformed: a token has 6 to 32 characters, each a digit or a letter from a to f in lower case. The X-Debug-Token header of every response holds one. “latest” names the newest record.',
    ),
  );
}

function nothingYet(): Miss {
  return miss(
    'never-seen',
    say('No request has been recorded yet'),
    say('Open a page of the application, then come back: its record will be here at once.'),
  );
}

const limitWords: Readonly<Record<PruneReason | 'unknown', Phrase>> = {
  unknown: 'It existed, and was removed; the limit that removed it is not known.',
  count: 'It existed, and was removed by the limit on the number of records. Raise that limit to keep more.',
  age: 'It existed, and was removed by the limit on age. Raise that limit to keep records longer.',
  bytes: 'It existed, and was removed by the limit on the size of the store. Raise that limit to keep more.',
  purge: 'It existed, and was removed with all others: all records were deleted manually or by an upgrade.',
};

function reasonOf({ isDropped, isSetAside }: Extract<RecordLookup, { kind: 'missing' }>): Phrase {
  if (isDropped === true)
    return 'A request had this token, but its record was dropped: the store did not take it, and too many were waiting.';
  if (isSetAside === true)
    return 'The file of this store was damaged and was set aside, with the records in it; this may be one of them.';
  return 'A request had this token, but its record was dropped or lost with its process.';
}

function tooMany(wait: number): Miss {
  return {
    status: 429,
    kind: 'too-many-misses',
    title: say('Too many unknown tokens'),
    detail: say(
      'This client requested more than 30 records that do not exist within a minute. Try again in {n} s.',
      { n: wait },
    ),
    retryAfter: wait,
  };
}
