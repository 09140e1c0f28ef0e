import type { ProfileTotals, TotalsQuery } from '../model/profile-totals.js';
import type { AbsentRecord } from '../model/record-lookup.js';
import type {
  FoundRecord,
  RecordStore,
  Retention,
  StoreAnswer,
  StoreChange,
  StoreOptions,
  StorePage,
  StoreSearch,
  StoreTarget,
  StoreWrite,
} from './record-store.js';
import { appendRecords, packRecords, reserveIds } from './append-records.js';
import { changeRecords } from './change-records.js';
import { countTotals } from './count-totals.js';
import { findRecord, listRecords } from './read-records.js';
import { applyRetention } from './remove-records.js';
import { selectMeta, StoreTransaction } from './store-transaction.js';
import type { SqlDatabase, WriteOptions } from './sql-database.js';

/** Default bounds, meant for a week of one developer's work. */
export const defaultRetention: Retention = {
  records: 20_000,
  ageMs: 7 * 24 * 60 * 60 * 1000,
  bytes: 256 * 1024 * 1024,
  profilerRecords: 100,
};

/** A store in the tables of a SQL database. */
export class SqlStore implements RecordStore {
  readonly #database: SqlDatabase;
  readonly #retention: Retention;

  constructor(database: SqlDatabase, { retention }: StoreOptions) {
    this.#database = database;
    this.#retention = { ...defaultRetention, ...retention };
  }

  async append({ records, reserve = 0, waiting }: StoreWrite): Promise<StoreAnswer> {
    const batches = packRecords(records);
    const unknown = records.length - batches.reduce((sum, { rows }) => sum + rows.length, 0);
    // An id that was given out must not be given out again; records need not wait for the disk, which may take long.
    const options = { isOnDisk: reserve > 0 };
    const answer = await this.#changing(async (transaction) => {
      const refused = unknown + (await appendRecords(transaction, batches));
      const reserved = reserveIds(transaction, reserve);
      const bytes = await applyRetention(transaction, this.#retention, waiting);
      const stored = transaction.get('app') + transaction.get('profiler') + transaction.get('marked');
      return { refused, tally: { records: stored, bytes }, ...(reserved === undefined ? {} : { reserved }) };
    }, options);
    const notice = this.#database.takeNotice();
    return notice === undefined ? answer : { ...answer, tally: { ...answer.tally, notice } };
  }

  find(id: number): Promise<FoundRecord | AbsentRecord> {
    return this.#database.read((run) => findRecord(run, this.#database.dialect, id));
  }

  list(search: StoreSearch): Promise<StorePage> {
    return this.#database.read((run) => listRecords(run, this.#database.dialect, search));
  }

  totals(query: TotalsQuery): Promise<ProfileTotals> {
    return this.#database.read((run) => countTotals(run, this.#database.dialect, query));
  }

  update(target: StoreTarget, change: StoreChange): Promise<number> {
    return this.#changing((transaction) => changeRecords(transaction, target, change));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #changing<Result>(
    work: (transaction: StoreTransaction) => Promise<Result>,
    options: WriteOptions = { isOnDisk: true },
  ): Promise<Result> {
    return this.#database.write(async (run) => {
      const meta = await run(selectMeta(this.#database.dialect));
      const transaction = new StoreTransaction(this.#database, run, meta);
      const result = await work(transaction);
      await transaction.saveMeta();
      return result;
    }, options);
  }
}
