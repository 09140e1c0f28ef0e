import { HttpResponse } from '#http';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { Panel } from '../../panels/panel.js';
import { protectResponse } from '../access/protect-response.js';
import type { ProfilerSite } from '../site/profiler-site.js';

/** Nothing of a foreign document runs, is loaded or sent; only these pages may frame it. */
const sandbox =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'";
const maxRelated = 50;

/** What a panel gives, or `otherwise`: one that fails costs its own page a note, nothing else. */
export function safely<Result, Otherwise>(work: () => Result, otherwise: Otherwise): Result | Otherwise {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** The other records that a panel shows; none if they cannot be looked up. */
export async function findRelated(
  { reader }: ProfilerSite,
  panel: Panel,
  record: ProfileRecord,
): Promise<readonly ProfileSummary[]> {
  try {
    const query = panel.related?.(record);
    return query === undefined ? [] : (await reader.list({ limit: maxRelated, ...query })).rows;
  } catch {
    return []; // a panel that fails costs its own page a note, nothing else
  }
}

/** A document of a panel, for the frame that its page shows it in. */
export function showDocument(panel: Panel, record: ProfileRecord, name: string): HttpResponse {
  const html = panel.document?.(record, name);
  if (html === undefined)
    return protectResponse(HttpResponse.text('There is no such document.', { status: 404 }));
  return protectResponse(HttpResponse.html(html), sandbox, 'SAMEORIGIN');
}
