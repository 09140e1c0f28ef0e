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

/** Records of one write, and bytes of a segment. */
const limits = { records: 200, segmentBytes: 4_000_000 };
const [sectionName, { form = 'text' }] = importedPart;
const sectionForm = sectionFormOf(form);
const parts = [...ownParts, importedPart];
/** Of the segments that were written to a store: one with a number that was there before is not written again. */
const lastNumbers = new WeakMap<ProfileStore, number>();

/** What became of a record. */
interface ImportedRecord {
  /** Its token in the store. */
  readonly token: string;
  readonly record: ProfileRecord;
  /** It, or the record that it was made of, is in the store already. */
  readonly wasThere: boolean;
}

/**
 * Writes records into a store unchanged, with their times, process and sections. The token of each is derived from its
 * contents, so that importing it twice stores it once; links between them are kept. `from` names their origin: their
 * configuration has it as `importedFrom`, next to `importedToken`.
 */
export async function importRecords(
  store: ProfileStore,
  records: readonly ProfileRecord[],
  from: string,
): Promise<readonly ImportedRecord[]> {
  await store.lease(1); // a store that is new gets its secret
  const archive = await openArchive(store, from);
  const tokens = new Map(records.map((record) => [record.token, tokenOf(record)]));
  const imported: ImportedRecord[] = [];
  const seen = new Set<string>();
  for (const record of records.toSorted((a, b) => a.startedAt - b.startedAt || a.sequence - b.sequence)) {
    const token = tokenOf(record);
    const isOld = await Promise.all(
      [token, record.token].map(async (one) => {
        const found = await archive.find(one);
        // OTLP has no parts of a microsecond.
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

/** A record that was imported before keeps its token. */
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

/** Neighbours of one process share a segment. */
function toWriters(records: readonly ProfileRecord[]): readonly SegmentWriter[] {
  const writers: SegmentWriter[] = [];
  let known = '';
  for (const record of records) {
    const origin = originOf(record);
    const its = JSON.stringify([record.bucket, origin]);
    let writer = writers.at(-1);
    if (writer === undefined || its !== known || writer.weight > limits.segmentBytes) {
      writer = new SegmentWriter(record.bucket, {
        columns: columnsWith(parts, origin),
        config: {},
        failed(error) {
          throw error;
        },
      });
      writers.push(writer);
      known = its;
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

/** What stands in the parts of a record whose section has all of it. */
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
