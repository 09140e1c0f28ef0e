import { createHash } from 'node:crypto';
import type { ProfileRecord } from '../model/profile-record.js';
import { idOf } from '../record/token.js';
import type { RecordStore } from '../tables/record-store.js';
import { appendRecords } from './archive.js';

export { readRecords, type RecordsRead } from './read-records.js';

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
  store: RecordStore,
  records: readonly ProfileRecord[],
  from: string,
): Promise<readonly ImportedRecord[]> {
  const tokens = new Map(records.map((record) => [record.token, tokenOf(record)]));
  const imported: ImportedRecord[] = [];
  const seen = new Set<string>();
  for (const record of records.toSorted((a, b) => a.startedAt - b.startedAt || a.sequence - b.sequence)) {
    const token = tokenOf(record);
    const isOld = await Promise.all(
      [token, record.token].map(async (one) => {
        const found = await store.find(idOf(one) ?? -1);
        return found.kind === 'found' && found.record.startedAt === record.startedAt;
      }),
    );
    imported.push({ token, record, wasThere: seen.has(token) || isOld.includes(true) });
    seen.add(token);
  }
  const fresh = imported
    .filter(({ wasThere }) => !wasThere)
    .map(({ token, record }) => toImported(record, { token, from, tokens }));
  await appendRecords(store, fresh);
  return imported;
}

/** Returns the token for an imported record. A record that has been imported before keeps its token. */
function tokenOf(record: ProfileRecord): string {
  if (record.config['importedFrom'] !== undefined) return record.token;
  const words = [String(record.config['instance'] ?? ''), record.startedAt, record.token];
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
