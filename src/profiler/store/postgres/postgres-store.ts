import type { BlockSearch } from '../../find/block/block-search.js';
import type { RecordBytes } from '../../form/segment-reader.js';
import type {
  AbsentRecord,
  Lease,
  ProcessAccount,
  ProcessCounts,
  Segment,
  StoreTally,
} from '../../model/profile-store.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type pg from 'pg';
import type { RemoteOptions, RemoteStore } from '../remote/remote-store.js';
import { type TokenState, tokenStateOf } from '../tokens/token-state.js';
import { BlockIndexer } from '../sql/block-indexer.js';
import type { SqlReader } from '../sql/sql-reader.js';
import { blocksOfPostgres } from './postgres-blocks.js';
import { loadPostgres, PostgresConnection } from './postgres-connection.js';
import { sqlState } from './postgres-failure.js';
import { PostgresFollower } from './postgres-news.js';
import { PostgresPruner } from './postgres-pruner.js';
import { createPostgresReader } from './postgres-reader.js';
import { makePartitions, preparePostgresSchema, quote, readSecret } from './postgres-schema.js';
import { PostgresWriter } from './postgres-writer.js';

const defaultSchema = 'lookback';
/** Milliseconds to spend on building blocks when a prune is requested. */
const pruneIndexingMs = 1000;

/** Opens a store in PostgreSQL. `?schema=` in the address names the schema; the default is `lookback`. */
export async function openPostgresStore(options: RemoteOptions): Promise<RemoteStore> {
  const url = new URL(options.address);
  const schema = url.searchParams.get('schema') ?? defaultSchema;
  url.searchParams.delete('schema');
  return new PostgresStore(await loadPostgres(), schema, { ...options, address: url.href });
}

class PostgresStore implements RemoteStore {
  readonly #driver: typeof pg;
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #options: RemoteOptions;
  readonly #writer: PostgresWriter;
  readonly #pruner: PostgresPruner;
  readonly #reader: SqlReader;
  readonly #indexer: BlockIndexer;
  #follower: PostgresFollower | undefined;
  #tokenState: TokenState | undefined;
  #setAside: string | null = null;
  #prepared: Promise<void> | undefined;
  /** The latest write. Writes run sequentially, so that a segment written twice is recognized the second time. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(driver: typeof pg, schema: string, options: RemoteOptions) {
    const connection = new PostgresConnection(driver, options);
    this.#driver = driver;
    this.#connection = connection;
    this.#schema = schema;
    this.#options = options;
    this.#writer = new PostgresWriter(connection, quote(schema), options);
    this.#pruner = new PostgresPruner(connection, quote(schema), options.retention);
    this.#indexer = new BlockIndexer(blocksOfPostgres(connection, quote(schema)));
    this.#reader = createPostgresReader(connection, quote(schema));
  }

  lease(amount: number): Promise<Lease> {
    return this.#with(async () => {
      const lease = await this.#writer.lease(amount);
      this.#tokenState = tokenStateOf(lease, this.#tokenState);
      return lease;
    });
  }

  secret(): Promise<string> {
    return readSecret(this.#connection, { schema: this.#schema, name: this.#options.name });
  }

  write(segments: readonly Segment[], counts?: ProcessCounts): Promise<StoreTally> {
    return this.#runSequentially(async () => {
      const written = await this.#writer.write(segments, counts);
      const tally = (await this.#pruner.apply(written)) ? await this.#tally() : written.tally;
      this.#writer.acknowledge(written);
      this.#indexer.add(segments);
      return { ...tally, setAside: this.#setAside };
    });
  }

  find(key: number): Promise<RecordBytes | AbsentRecord> {
    return this.#with(() => this.#reader.find(key, this.#options.process.run));
  }

  searched<Result>(_: RecordBucket, read: (search: BlockSearch) => Promise<Result>): Promise<Result> {
    return this.#with(() => read(this.#reader.search));
  }

  async follow(wake: () => void): Promise<void> {
    this.#follower ??= new PostgresFollower(this.#driver, this.#options, {
      schema: quote(this.#schema),
      wake,
    });
  }

  async unfollow(): Promise<void> {
    this.#follower?.stop();
    this.#follower = undefined;
  }

  prune(bucket?: RecordBucket): Promise<StoreTally> {
    return this.#runSequentially(async () => {
      if (bucket !== undefined) await this.#pruner.purge(bucket);
      await this.#pruner.apply(await this.#writer.write([]));
      await this.#indexer.run(pruneIndexingMs);
      return this.#tally();
    });
  }

  tally(): Promise<StoreTally> {
    return this.#with(() => this.#tally());
  }

  putNote(kind: string, name: string, text: string | null): Promise<void> {
    return this.#with(() => this.#writer.putNote(kind, name, text));
  }

  notes(kind: string, name?: string): Promise<ReadonlyMap<string, string>> {
    return this.#with(() => this.#reader.notes(kind, name));
  }

  processes(): Promise<readonly ProcessAccount[]> {
    return this.#with(() => this.#reader.processes());
  }

  async leave(): Promise<void> {
    try {
      await this.#lastWrite;
      await this.#indexer.stop();
      if (this.#prepared !== undefined) await this.#writer.leave();
    } catch {
      // Other processes see that this one no longer writes.
    }
  }

  async close(): Promise<void> {
    await this.unfollow();
    await this.leave();
    await this.#connection.close();
  }

  async #tally(): Promise<StoreTally> {
    return { ...(await this.#writer.tally()), setAside: this.#setAside };
  }

  #runSequentially<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#lastWrite.then(() => this.#with(work));
    this.#lastWrite = done.catch(() => undefined);
    return done;
  }

  /**
   * Runs `work` with the tables in place. They are prepared again if they were removed, or if a day has begun that has
   * no partition.
   */
  async #with<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#prepare();
    try {
      return await work();
    } catch (error) {
      const state = sqlState(error);
      // No such table, no such schema, no partition for the row.
      if (state !== '42P01' && state !== '3F000' && state !== '23514') throw error;
      this.#prepared = undefined;
    }
    await this.#prepare();
    return work();
  }

  #prepare(): Promise<void> {
    return (this.#prepared ??= this.#prepareOnce().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    }));
  }

  async #prepareOnce(): Promise<void> {
    const { name } = this.#options;
    const settings = { schema: this.#schema, name, tokenState: this.#tokenState };
    this.#setAside = (await preparePostgresSchema(this.#connection, settings)) ?? this.#setAside;
    await makePartitions(this.#connection, this.#schema);
  }
}
