import type { SqlRow, Tables } from './sql-database.js';

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

/** What a store knows about itself, and what a transaction changes of it. */
export class StoreMeta {
  readonly #values: Map<string, string>;
  readonly #changed = new Set<MetaNumber>();

  constructor(rows: readonly SqlRow[]) {
    this.#values = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  /** Names the store. */
  get store(): string {
    return this.#values.get('store') ?? '';
  }

  get(name: MetaNumber): number {
    return Number(this.#values.get(name) ?? (name.startsWith('pruned') ? -1 : 0));
  }

  set(name: MetaNumber, value: number): void {
    if (this.get(name) === value) return;
    this.#values.set(name, String(value));
    this.#changed.add(name);
  }

  add(name: MetaNumber, amount: number): void {
    this.set(name, this.get(name) + amount);
  }

  async save({ run }: Tables): Promise<void> {
    const names = [...this.#changed];
    if (names.length === 0) return;
    await run(
      `INSERT INTO @meta (name, value)
       VALUES ${names.map((_, at) => `($${at * 2 + 1}, $${at * 2 + 2})`).join(', ')}
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      names.flatMap((name) => [name, String(this.get(name))]),
    );
  }
}

/** Reads what a store knows about itself. A batch of a pinned record, which no limit removes, has no age. */
export async function readMeta({ run, now }: Tables): Promise<StoreMeta> {
  const oldest = `SELECT ${now} - written_at FROM @batch WHERE id > 0 ORDER BY id LIMIT 1`;
  return new StoreMeta(
    await run(`SELECT name, value FROM @meta UNION ALL SELECT 'age', CAST((${oldest}) AS TEXT)`),
  );
}
