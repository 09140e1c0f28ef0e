import type { RecordBytes } from '../../form/segment-reader.js';
import type { AbsentRecord, ProcessAccount } from '../../model/profile-store.js';
import { isPruneReason } from '../policy/retention.js';
import { unpackPart } from '../remote/pack-segment.js';
import type { PostgresConnection } from './postgres-connection.js';

/** A process that was not seen for so long has ended without a word. */
const silenceInterval = `interval '30 seconds'`;
const isRunning = `NOT is_over AND seen_at > clock_timestamp() - ${silenceInterval}`;

/** Reads what any process wrote. */
export class PostgresReader {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #run: number;

  /** `run`: the process that asks, which knows itself what it has not written yet. */
  constructor(connection: PostgresConnection, schema: string, run: number) {
    this.#connection = connection;
    this.#schema = schema;
    this.#run = run;
  }

  async find(key: number): Promise<RecordBytes | AbsentRecord> {
    const s = this.#schema;
    const [row] = await this.#connection.rows(
      `SELECT place, directory, body FROM ${s}.record JOIN ${s}.segment ON id = segment WHERE key = $1 LIMIT 1`,
      [key],
    );
    if (row === undefined) return this.#explain(key);
    const [directory, body] = await Promise.all([unpackPart(row['directory']), unpackPart(row['body'])]);
    return { keys: [], directory, body, index: Number(row['place']) };
  }

  /** The table is made with the first note: schemas without one stay as they are. */
  async putNote(kind: string, name: string, text: string | null): Promise<void> {
    const note = `${this.#schema}.note`;
    const columns = 'kind text, name text, text text NOT NULL, PRIMARY KEY (kind, name)';
    if ((await this.#noteTable()) === false)
      await this.#connection.rows(`CREATE TABLE IF NOT EXISTS ${note} (${columns})`);
    if (text === null)
      await this.#connection.rows(`DELETE FROM ${note} WHERE kind = $1 AND name = $2`, [kind, name]);
    else
      await this.#connection.rows(
        `INSERT INTO ${note} VALUES ($1, $2, $3) ON CONFLICT (kind, name) DO UPDATE SET text = EXCLUDED.text`,
        [kind, name, text],
      );
  }

  async notes(kind: string, name?: string): Promise<ReadonlyMap<string, string>> {
    if ((await this.#noteTable()) === false) return new Map();
    const rows = await this.#connection.rows(
      `SELECT name, text FROM ${this.#schema}.note WHERE kind = $1 AND ($2::text IS NULL OR name = $2) ORDER BY name`,
      [kind, name ?? null],
    );
    return new Map(rows.map((row) => [String(row['name']), String(row['text'])]));
  }

  async #noteTable(): Promise<boolean> {
    const [row] = await this.#connection.rows('SELECT to_regclass($1) IS NOT NULL AS found', [
      `${this.#schema}.note`,
    ]);
    return row?.['found'] === true;
  }

  async processes(): Promise<readonly ProcessAccount[]> {
    const rows = await this.#connection.rows(
      `SELECT *, extract(epoch FROM seen_at) * 1000 AS seen, ${isRunning} AS is_running
       FROM ${this.#schema}.process ORDER BY started_at DESC LIMIT 1000`,
    );
    return rows.map((row) => {
      const number = (name: string): number => Number(row[name]);
      return {
        host: String(row['host']),
        pid: number('pid'),
        version: String(row['version']),
        startedAt: number('started_at'),
        seenAt: number('seen'),
        state: row['is_over'] === true ? 'ended' : row['is_running'] === true ? 'running' : 'lost',
        made: number('made'),
        dropped: number('dropped'),
        pending: number('pending'),
        stored: number('app') + number('profiler'),
        pruned:
          number('pruned_count') + number('pruned_age') + number('pruned_bytes') + number('pruned_purge'),
      };
    });
  }

  async #explain(key: number): Promise<AbsentRecord> {
    const s = this.#schema;
    const [row = {}] = await this.#connection.rows(
      `SELECT (SELECT value::bigint FROM ${s}.meta WHERE name = 'next') AS next, pruned.stop AS pruned_stop, reason,
         lease.stop, lease.process, ${isRunning} AS is_running
       FROM (SELECT 1) AS one
       LEFT JOIN (SELECT * FROM ${s}.pruned WHERE start <= $1 ORDER BY start DESC LIMIT 1) AS pruned ON true
       LEFT JOIN (SELECT * FROM ${s}.lease WHERE start <= $1 ORDER BY start DESC LIMIT 1) AS lease ON true
       LEFT JOIN ${s}.process ON process.id = lease.process`,
      [key],
    );
    if (key < 0 || key >= Number(row['next'])) return 'never';
    const { reason } = row;
    const isPruned = Number(row['pruned_stop']) > key;
    if (isPruned && isPruneReason(reason)) return reason;
    if (Number(row['stop'] ?? 0) <= key) return 'pruned';
    return Number(row['process']) !== this.#run && row['is_running'] === true ? 'unwritten' : 'missing';
  }
}
