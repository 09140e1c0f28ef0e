import type { Damage, Written } from '../../find/block/block-search.js';
import type { SegmentData } from '../../find/find-rows.js';
import type { StoreNewsOrder } from '../../model/profile-store.js';
import { readDirectory } from '../pages/block-sums.js';
import { maxChunks } from '../sql/replace-blocks.js';
import { blockIsGone, SqlReader } from '../sql/sql-reader.js';
import { type SqliteDatabase, SqliteStatements } from './sqlite-database.js';

/** Maximum number of new segments to read at once. */
const maxNewSegments = 256;

/** Returns the segments written after a position, which is the id of a segment. */
async function readWritten(
  db: SqliteDatabase,
  { query, position }: StoreNewsOrder,
  reader: SqlReader,
): Promise<Written> {
  const sequence = db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'segment'`).get();
  const present = Number(sequence?.['seq'] ?? 0);
  const from = position === null ? present : Number(position);
  const begin = db.prepare(`SELECT value FROM meta WHERE name = 'begin'`).get();
  const isGap = !(from <= present && from >= Number(begin?.['value'] ?? 0));
  const { bucket = 'app' } = query;
  const range = { above: isGap ? present : from, below: Number.MAX_SAFE_INTEGER, limit: maxNewSegments };
  const ids = (await reader.sizes(bucket, range)).map(({ id }) => id);
  const found = await reader.segmentsOf(bucket, ids);
  const segments = [...found.values()].map((rows) => ({ ...rows, position: String(rows.id) }));
  return { segments, present: String(present), isGap };
}

/** Creates a reader for an open file. */
export function createSqliteReader(db: SqliteDatabase): SqlReader {
  const segment = (id: number, damage: Damage): SegmentData | undefined => readSegment(db, id, damage);
  return new SqlReader({
    schema: '',
    end: '"end"',
    segments: 'segment JOIN segment_data USING (id)',
    processes: 'run',
    process: 'run',
    state: 'pid',
    account: `seen_at AS seen, process_id AS number,
      written - pruned_count - pruned_age - pruned_bytes - pruned_purge AS stored`,
    // A process that closed the file has set its `pid` to 0.
    stateOf: (pid) => (pid === 0 ? 'ended' : isRunning(Number(pid)) ? 'running' : 'lost'),
    rows: new SqliteStatements(db).rows,
    hasTable: (name) => db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined,
    source({ id }, damage) {
      const read = db.prepare('SELECT data FROM chunk WHERE id = ?');
      return {
        chunk(place) {
          const { data } = read.get(id * maxChunks + place) ?? blockIsGone();
          return data instanceof Uint8Array ? data : new Uint8Array();
        },
        segment: (number) => segment(number, damage),
      };
    },
    content: (id, damage) => ({ read: () => segment(id, damage) }),
    written: (order, reader) => readWritten(db, order, reader),
  });
}

/** Returns undefined if the segment is gone or damaged; damage is added to `damage`. */
function readSegment(db: SqliteDatabase, id: number, damage: Damage): SegmentData | undefined {
  const data = db.prepare('SELECT keys, directory FROM segment_data WHERE id = ?').get(id);
  if (data === undefined) return undefined;
  try {
    return readDirectory(data);
  } catch {
    const left = db.prepare('SELECT records - gone AS left FROM segment WHERE id = ?').get(id);
    damage.set(id, Number(left?.['left'] ?? 0));
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
