import type { VNode } from 'preact';
import { HttpResponse } from '#core/http';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { FoundRecord, PruneReason, RecordLookup } from '../../model/record-lookup.js';
import { idOf, isRandomId, isToken } from '../../encoding/token.js';
import { withOriginalLocations } from './original-locations.js';
import { protectResponse } from '../access/protect-response.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say } from '#core/phrases';

/** Explains why there is nothing to show, with links to alternatives. */
export interface Miss {
  readonly status: 400 | 403 | 404 | 409 | 502;
  /** Machine-readable kind: `never-seen`, `purged`, `not-kept`, `malformed`, `unknown-panel`, … */
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly choices?: readonly { readonly label: string; readonly href: string }[];
  /** The problem document's additional members. */
  readonly more?: object;
}

/** Thrown if there is nothing to show. Page routes render it as a page, data routes as a problem document. */
export class Missing extends Error {
  readonly #miss: Miss;
  constructor(
    status: Miss['status'],
    kind: string,
    title: string,
    more: Pick<Miss, 'detail' | 'choices' | 'more'>,
  ) {
    super(title);
    this.#miss = { status, kind, title, ...more };
  }

  /** Returns a `Missing`'s miss; undefined for other thrown values. Uses a private-field check, which no Proxy can trap. */
  static of(thrown: unknown): Miss | undefined {
    return typeof thrown === 'object' && thrown !== null && #miss in thrown ? thrown.#miss : undefined;
  }
}

/** Returns the record for a token, or for `latest`. Throws `Missing` with the reason if there is none. */
export async function getRecord(site: ProfilerSite, token: string): Promise<ProfileRecord> {
  return (await getMarkedRecord(site, token)).record;
}

export async function getMarkedRecord(site: ProfilerSite, token: string): Promise<Omit<FoundRecord, 'kind'>> {
  const isName = token === 'latest' || isToken(token);
  const lookup: RecordLookup = isName ? await site.reader.find(token) : { kind: 'malformed' };
  if (lookup.kind === 'found')
    return { ...lookup, record: withOriginalLocations(lookup.record, site.sources) };
  const [kind, title, detail] = absentWords[token === 'latest' ? token : lookup.kind];
  const limit = lookup.kind === 'pruned' ? limitWords[lookup.by ?? 'unknown'] : '';
  const isRandom = lookup.kind === 'never' && isRandomId(idOf(token) ?? 0);
  throw new Missing(404, kind, say(title, { token: token.slice(0, 100) }), {
    detail: isRandom ? randomWords : (detail ?? ('message' in lookup ? lookup.message : limit)),
  });
}

/** Texts for a token without a record: kind, title, and the detail if it is always the same. */
const absentWords: Readonly<
  Record<
    'latest' | Exclude<RecordLookup['kind'], 'found'>,
    readonly [kind: string, title: string, detail?: string]
  >
> = {
  latest: [
    'never-seen',
    'No request has been recorded yet',
    'Open a page of the application, then come back: its record will be here at once.',
  ],
  pruned: ['purged', 'Record {token} was purged'],
  missing: [
    'not-kept',
    'Record {token} was not kept',
    'A request had this token, but its record is not here: it is not written yet, was dropped because too many waited for a store that failed, or was lost with its process. The counters below the list of requests show how many were dropped, and why.',
  ],
  malformed: [
    'malformed',
    '“{token}” is not a record token',
    'It is malformed: a token has 6 to 32 characters, each a digit or a letter from a to f in lower case. The X-Debug-Token header of every response holds one. “latest” names the newest record.',
  ],
  unreadable: ['unreadable', 'The record {token} cannot be read'],
  never: [
    'never-seen',
    'No record {token}',
    'This store has no record with this token. It may come from another application or another store.',
  ],
};

/**
 * Text for a token of 12 digits. A process issues such tokens until its store has reserved ids, so no store knows who
 * issued it.
 */
const randomWords =
  'This store has no record with this token. A process issues 12-digit tokens for its first requests: the record may not be written yet, or may have been removed. Or the token comes from another application or another store.';

const limitWords: Readonly<Record<PruneReason | 'unknown', string>> = {
  unknown: 'It was removed; the limit that removed it is not known.',
  count: 'It was removed by the limit on the number of records. Raise that limit to keep more.',
  age: 'It was removed by the limit on age. Raise that limit to keep records longer.',
  bytes: 'It was removed by the limit on the size of the store. Raise that limit to keep more.',
  purge: 'It was removed with all others: all records were deleted manually or by an upgrade.',
};

/** Renders a miss as a page, or as a problem document (RFC 9457) if data was requested. */
export function renderMiss({ links }: ProfilerSite, miss: Miss, form: 'page' | 'data'): HttpResponse {
  const { kind, title, status, detail, choices, more } = miss;
  if (form === 'data') {
    const data = { type: `urn:lookback:profiler:${kind}`, title, status, detail, ...more };
    const headers = { 'Content-Type': 'application/problem+json' };
    return protectResponse(HttpResponse.json(data, { status, headers }));
  }
  const page: VNode = (
    <div class="miss">
      <p class="muted">{status}</p>
      <h1>{title}</h1>
      <p>{detail}</p>
      {choices !== undefined && (
        <ul aria-label="Alternatives">
          {choices.map((choice) => (
            <li>
              <a class="button" href={choice.href}>
                {choice.label}
              </a>
            </li>
          ))}
        </ul>
      )}
      <p class="actions">
        <a class="button primary" href={links.list()}>
          All requests
        </a>
        <a class="button" href={links.record('latest')}>
          Latest request
        </a>
      </p>
    </div>
  );
  return renderShell(page, { title, links, status });
}
