import { randomBytes, randomInt } from 'node:crypto';
import type { RunSql, SqlDatabase, SqlDialect, SqlRow } from './sql-database.js';
import { schemaVersion } from './table-schema.js';

/** Numbers that a store keeps about itself. */
type MetaNumber =
  // The first id that is neither reserved nor stored, and the number of the newest batch.
  | 'next'
  | 'batch'
  // Number of records by bucket, without the marked ones, number of marked ones, and bytes of all batches.
  | 'app'
  | 'profiler'
  | 'marked'
  | 'bytes'
  // Milliseconds since the oldest batch was written; not a number if there is none.
  | 'age'
  // The greatest id that was removed, by reason.
  | `pruned_${'count' | 'age' | 'bytes' | 'purge'}`;

/** Returns the values of a new store. */
export function newMeta(): readonly (readonly [name: string, value: string])[] {
  return [
    ['version', String(schemaVersion)],
    // Positions name the store that they are of.
    ['store', randomBytes(6).toString('hex')],
    // A store that replaces another one should not issue the same tokens again.
    ['next', String(randomInt(2 ** 12) * 1024)],
  ];
}

/** Returns the statement for what a store knows about itself, with the age of its oldest batch. */
export function selectMeta(dialect: SqlDialect): string {
  const oldest = `SELECT ${dialect.now} - written_at FROM ${dialect.table('batch')} ORDER BY id LIMIT 1`;
  return `SELECT name, value FROM ${dialect.table('meta')} UNION ALL SELECT 'age', CAST((${oldest}) AS TEXT)`;
}

/** Reads the values that a store keeps about itself. */
export class StoreMeta {
  protected readonly values: Map<string, string>;

  constructor(rows: readonly SqlRow[]) {
    this.values = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  /** Names the store. */
  get store(): string {
    return this.values.get('store') ?? '';
  }

  get(name: MetaNumber): number {
    return Number(this.values.get(name) ?? (name.startsWith('pruned') ? -1 : 0));
  }
}

/** A transaction that changes a store, and what the store keeps about itself. */
export class StoreTransaction extends StoreMeta {
  readonly run: RunSql;
  readonly dialect: SqlDialect;
  readonly table: (name: string) => string;
  readonly #database: SqlDatabase;
  readonly #changed = new Set<MetaNumber>();

  constructor(database: SqlDatabase, run: RunSql, rows: readonly SqlRow[]) {
    super(rows);
    this.#database = database;
    this.run = run;
    this.dialect = database.dialect;
    this.table = (name) => database.dialect.table(name);
  }

  set(name: MetaNumber, value: number): void {
    if (this.get(name) === value) return;
    this.values.set(name, String(value));
    this.#changed.add(name);
  }

  add(name: MetaNumber, amount: number): void {
    this.set(name, this.get(name) + amount);
  }

  /** Bytes that may be in use at most. */
  get maxBytes(): number {
    return this.#database.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the bytes in use. */
  async usedBytes(): Promise<number> {
    return (await this.#database.usedBytes?.(this.run)) ?? this.get('bytes');
  }

  async saveMeta(): Promise<void> {
    const names = [...this.#changed];
    if (names.length === 0) return;
    await this.run(
      `INSERT INTO ${this.table('meta')} (name, value)
       VALUES ${names.map((_, at) => `($${at * 2 + 1}, $${at * 2 + 2})`).join(', ')}
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      names.flatMap((name) => [name, String(this.get(name))]),
    );
  }
}
