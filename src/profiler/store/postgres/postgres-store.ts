import type { RecordBytes } from '../../form/segment-reader.js';
import type {
  AbsentRecord,
  Lease,
  ProcessAccount,
  ProcessCounts,
  Segment,
  StoreNews,
  StoreNewsOrder,
  StorePage,
  StoreSearch,
  StoreTally,
  StoreTotalsOrder,
} from '../../model/profile-store.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type pg from 'pg';
import type { StoreTotals } from '../../model/profile-totals.js';
import type { RemoteOptions, RemoteStore } from '../remote/remote-store.js';
import { type Heritage, heritageOf } from '../tokens/heritage.js';
import { loadPostgres, PostgresConnection } from './postgres-connection.js';
import { sqlState } from './postgres-failure.js';
import { PostgresFollower, PostgresNews } from './postgres-news.js';
import { PostgresPruner } from './postgres-pruner.js';
import { PostgresReader } from './postgres-reader.js';
import { PostgresSearch } from './postgres-search.js';
import { makePartitions, preparePostgresSchema, quote } from './postgres-schema.js';
import { PostgresWriter } from './postgres-writer.js';

const defaultSchema = 'lookback';

/** Records in PostgreSQL. `?schema=` of the address names the schema, `lookback` without it. */
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
  readonly #reader: PostgresReader;
  readonly #news: PostgresNews;
  #search: PostgresSearch | undefined;
  #follower: PostgresFollower | undefined;
  #heritage: Heritage | undefined;
  #prepared: Promise<void> | undefined;
  /** One write behind the other: a segment that comes twice must see that it is there. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(driver: typeof pg, schema: string, options: RemoteOptions) {
    const connection = new PostgresConnection(driver, options);
    this.#driver = driver;
    this.#connection = connection;
    this.#news = new PostgresNews(connection, quote(schema));
    this.#schema = schema;
    this.#options = options;
    this.#writer = new PostgresWriter(connection, quote(schema), options);
    this.#pruner = new PostgresPruner(connection, quote(schema), options.retention);
    this.#reader = new PostgresReader(connection, quote(schema), options.process.run);
  }

  lease(amount: number): Promise<Lease> {
    return this.#with(async () => {
      const lease = await this.#writer.lease(amount);
      this.#heritage = heritageOf(lease, this.#heritage);
      return lease;
    });
  }

  write(segments: readonly Segment[], counts?: ProcessCounts): Promise<StoreTally> {
    return this.#inTurn(async () => {
      const written = await this.#writer.write(segments, counts);
      const tally = (await this.#pruner.apply(written)) ? await this.#writer.tally() : written.tally;
      this.#writer.acknowledge(written);
      return tally;
    });
  }

  find(key: number): Promise<RecordBytes | AbsentRecord> {
    return this.#with(() => this.#reader.find(key));
  }

  search(search: StoreSearch): Promise<StorePage> {
    return this.#with(() => this.#searching().search(search));
  }

  totals(order: StoreTotalsOrder): Promise<StoreTotals> {
    return this.#with(() => this.#searching().totals(order));
  }

  news(order: StoreNewsOrder): Promise<StoreNews> {
    return this.#with(() => this.#news.news(order, this.#searching()));
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
    return this.#inTurn(async () => {
      if (bucket !== undefined) await this.#pruner.purge(bucket);
      await this.#pruner.apply(await this.#writer.write([]));
      return this.#writer.tally();
    });
  }

  tally(): Promise<StoreTally> {
    return this.#with(() => this.#writer.tally());
  }

  putNote(kind: string, name: string, text: string | null): Promise<void> {
    return this.#with(() => this.#reader.putNote(kind, name, text));
  }

  notes(kind: string, name?: string): Promise<ReadonlyMap<string, string>> {
    return this.#with(() => this.#reader.notes(kind, name));
  }

  processes(): Promise<readonly ProcessAccount[]> {
    return this.#with(() => this.#reader.processes());
  }

  async leave(): Promise<void> {
    try {
      await this.#turn;
      if (this.#prepared !== undefined) await this.#writer.leave();
    } catch {
      // The others see that this process writes no longer.
    }
  }

  async close(): Promise<void> {
    await this.unfollow();
    await this.leave();
    await this.#connection.close();
  }

  #searching(): PostgresSearch {
    if (this.#search === undefined) throw new TypeError('The tables are not prepared.');
    return this.#search;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(() => this.#with(work));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** With tables to work on: somebody may have removed them, and a day may have begun that has none. */
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

  async #prepare(): Promise<void> {
    this.#prepared ??= this.#prepareOnce();
    try {
      await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
      throw error;
    }
  }

  async #prepareOnce(): Promise<void> {
    const { name } = this.#options;
    const given = { schema: this.#schema, name, heritage: this.#heritage };
    const found = await preparePostgresSchema(this.#connection, given);
    this.#search = new PostgresSearch(this.#connection, quote(this.#schema), found);
    await makePartitions(this.#connection, this.#schema);
  }
}
