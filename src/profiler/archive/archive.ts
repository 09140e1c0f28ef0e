import { HttpRequest, requestRoute } from '#http';
import { builtInParts } from '../writer/built-in-parts.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Profiler } from '../model/profiler.js';
import { collectedFields, numbersOf } from '../model/section-part.js';
import { summaryOf } from '../record/columns.js';
import { openStore } from '../tables/open-store.js';
import type { FinishedRecord, RecordStore } from '../tables/record-store.js';
import { createProfilerPages } from '../web/create-profiler-pages.js';
import type { ProfileReader } from '../web/site/profiler-site.js';
import { RecordReader } from '../writer/record-reader.js';
import { findWritten } from '../writer/writer.js';

/** Read-only access to the records of a store. */
export interface RecordArchive extends Pick<
  Profiler,
  'find' | 'list' | 'totals' | 'news' | 'collected' | 'close'
> {
  readonly store: RecordStore;
}

const noLimit = Number.MAX_SAFE_INTEGER;
const unbounded = { records: noLimit, ageMs: noLimit, bytes: noLimit, profilerRecords: noLimit };
/** Number of records that are written at once. */
const writeCount = 64;

/**
 * Opens a store, or records in memory, for reading: for tools outside the process that records. Unlike a profiler, it
 * does not hide a failing store: every method rejects with its error.
 */
export async function openArchive(source: RecordStore | readonly ProfileRecord[]): Promise<RecordArchive> {
  const store = 'append' in source ? source : await storeOf(source);
  const reader = new RecordReader({
    ask: {
      find: (id) => findWritten(store, id),
      list: async (search) => ({ ...(await store.list(search)), complete: true }),
      totals: (query) => store.totals(query),
    },
    failed(error) {
      throw error;
    },
  });
  return {
    store,
    collected: collectedFields([...builtInParts]),
    find: (token) => reader.find(token),
    list: (query = {}) => reader.list(query),
    totals: (query = {}) => reader.totals(query),
    news: (query, position) => reader.news(query, position),
    close: () => store.close(),
  };
}

/** Returns a record as a store takes it, with what lists show of it. */
function toFinished(record: ProfileRecord): FinishedRecord {
  const numbers: Record<string, number> = {};
  for (const [name, data] of Object.entries(record.sections)) {
    const part = builtInParts.get(name);
    // A section of another collector with this name has numbers of 0.
    if (part !== undefined)
      Object.assign(
        numbers,
        numbersOf(name, part, data, () => undefined),
      );
  }
  return { record, summary: summaryOf(record, numbers) };
}

/** Returns a store in memory, to which records are appended in the order in which they were closed. */
async function storeOf(records: readonly ProfileRecord[]): Promise<RecordStore> {
  const store = openStore('memory:', { retention: unbounded });
  const sorted = records.toSorted((a, b) => a.startedAt - b.startedAt || a.sequence - b.sequence);
  for (let at = 0; at < sorted.length; at += writeCount)
    await store.append({ records: sorted.slice(at, at + writeCount).map(toFinished) });
  return store;
}

/** Options for rendering a record as text. */
interface PageTextOptions {
  readonly format: 'json' | 'md' | 'har';
  /** For Markdown: comma-separated ids of the panels to include. */
  readonly panel?: string | undefined;
  /** Token of another record: returns the differences to it as Markdown, instead of the record itself. */
  readonly against?: string;
}

/** A page as text, or a problem document (RFC 9457) with the matching status if there is no such page. */
interface PageText {
  readonly status: number;
  readonly text: string;
}

/** Renders a record as the same text that the profiler's pages return to clients. */
export async function readPage(
  reader: ProfileReader,
  token: string,
  { format, panel, against }: PageTextOptions,
): Promise<PageText> {
  const pages = createProfilerPages({ reader, access: () => ({ allowed: true }) });
  const name = against === undefined ? '_profiler_data' : '_profiler_compare';
  const query = new URLSearchParams(against === undefined ? {} : { format: 'md' });
  if (panel !== undefined) query.set('panel', panel);
  const request = new HttpRequest({
    method: 'GET',
    target: `/_profiler/page?${query.toString()}`,
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
    peer: { address: undefined, port: 0, encrypted: false },
  });
  const parameters = against === undefined ? { token, _format: format } : { first: token, second: against };
  request.scope.set(requestRoute, { name, path: '', parameters });
  const response = await pages.find((page) => page.name === name)?.controller(request);
  return { status: response?.status ?? 500, text: typeof response?.body === 'string' ? response.body : '' };
}
