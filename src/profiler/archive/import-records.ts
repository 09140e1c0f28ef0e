import { createHash } from 'node:crypto';
import { importedPart } from '../form/imported-part.js';
import type { RecordInput } from '../form/record-form.js';
import { sectionFormOf } from '../form/sections.js';
import { SegmentWriter } from '../form/segment-writer.js';
import { columnsWith } from '../form/summary-columns.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileStore } from '../model/profile-store.js';
import { openArchive } from './archive.js';
import { ownParts } from './own-parts.js';
import { originOf, summaryOf } from './summary-of-record.js';

export { readRecords, type RecordsRead } from './read-records.js';

/** Maximum number of records per write, and bytes per segment. */
const limits = { records: 200, segmentBytes: 4_000_000 };
const [sectionName, { form = 'text' }] = importedPart;
const sectionForm = sectionFormOf(form);
const parts = [...ownParts, importedPart];
/** Last segment number written to each store. Module state because a store ignores a segment whose number it already has. */
const lastNumbers = new WeakMap<ProfileStore, number>();

/** Result of importing one record. */
interface ImportedRecord {
  /** Token of the record in the store. */
  readonly token: string;
  readonly record: ProfileRecord;
  /** The record, or the one from which it was exported, was already in the store. */
  readonly wasThere: boolean;
}

/**
 * Writes records into a store unchanged, with their times, process and sections. The token of each record is derived from
 * its identity, so that importing it twice stores it once; links between records are updated. `from` names the source; it
 * is stored in the configuration of the records as `importedFrom`, next to `importedToken`.
 */
export async function importRecords(
  store: ProfileStore,
  records: readonly ProfileRecord[],
  from: string,
): Promise<readonly ImportedRecord[]> {
  await store.lease(1); // creates the secret of a new store
  const archive = await openArchive(store, from);
  const tokens = new Map(records.map((record) => [record.token, tokenOf(record)]));
  const imported: ImportedRecord[] = [];
  const seen = new Set<string>();
  for (const record of records.toSorted((a, b) => a.startedAt - b.startedAt || a.sequence - b.sequence)) {
    const token = tokenOf(record);
    const isOld = await Promise.all(
      [token, record.token].map(async (one) => {
        const found = await archive.find(one);
        // Times in OTLP files lack fractions of a microsecond, so they are compared with a tolerance.
        return found.kind === 'found' && Math.abs(found.record.startedAt - record.startedAt) < 0.01;
      }),
    );
    imported.push({ token, record, wasThere: seen.has(token) || isOld.includes(true) });
    seen.add(token);
  }
  const fresh = imported
    .filter(({ wasThere }) => !wasThere)
    .map(({ token, record }) => toImported(record, { token, from, tokens }));
  let number = lastNumbers.get(store) ?? 0;
  for (let at = 0; at < fresh.length; at += limits.records) {
    const some = fresh.slice(at, at + limits.records);
    const segments = toWriters(some).map((writer) => writer.seal(++number));
    lastNumbers.set(store, number);
    await store.write(segments, { made: at + some.length, dropped: 0, pending: 0 });
  }
  return imported;
}

/** Returns the token for an imported record. A record that has been imported before keeps its token. */
function tokenOf(record: ProfileRecord): string {
  if (record.config['importedFrom'] !== undefined) return record.token;
  const words = [originOf(record).instance, record.startedAt, record.token];
  return createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 12);
}

function toImported(
  record: ProfileRecord,
  {
    token,
    from,
    tokens,
  }: { readonly token: string; readonly from: string; readonly tokens: ReadonlyMap<string, string> },
): ProfileRecord {
  const { parent, children, config } = record;
  const renamed = (one: string): string => tokens.get(one) ?? one;
  return {
    ...record,
    token,
    ...(parent === undefined ? {} : { parent: renamed(parent) }),
    ...(children === undefined ? {} : { children: children.map(renamed) }),
    config:
      config['importedFrom'] === undefined
        ? { ...config, importedFrom: from, importedToken: record.token }
        : config,
  };
}

/** Distributes records to segments. Consecutive records of the same process share one. */
function toWriters(records: readonly ProfileRecord[]): readonly SegmentWriter[] {
  const writers: SegmentWriter[] = [];
  let lastOrigin = '';
  for (const record of records) {
    const origin = originOf(record);
    const originKey = JSON.stringify([record.bucket, origin]);
    let writer = writers.at(-1);
    if (writer === undefined || originKey !== lastOrigin || writer.weight > limits.segmentBytes) {
      writer = new SegmentWriter(record.bucket, {
        columns: columnsWith(parts, origin),
        config: {},
        failed(error) {
          throw error;
        },
      });
      writers.push(writer);
      lastOrigin = originKey;
    }
    writer.add(
      {
        key: -1 - Number.parseInt(record.token, 16),
        summary: summaryOf(record, parts),
        record: emptyRecord,
        sections: [{ name: sectionName, form: sectionForm, data: JSON.stringify(record) }],
      },
      performance.now(),
    );
  }
  return writers;
}

/** Placeholder for the regular parts of an imported record, which is stored entirely in its section. */
const emptyRecord: RecordInput = {
  request: { httpVersion: '', address: '', port: 0, locale: null, headers: [], body: null, rawHead: null },
  response: null,
  route: null,
  controller: null,
  spans: { numbers: [], length: 0 },
  logs: { lines: [], byLevel: [], omitted: 0, omittedAfter: 0 },
  exception: null,
  children: [],
  runtime: {
    rss: 0,
    heapUsed: 0,
    heapTotal: 0,
    external: 0,
    meanDelayMs: 0,
    maxDelayMs: 0,
    utilization: 0,
  },
  sampledMsAgo: 0,
  limits: [],
};
