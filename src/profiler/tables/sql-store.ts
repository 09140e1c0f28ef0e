import { randomInt } from 'node:crypto';
import type { ProfileTotals, TotalsQuery } from '../model/profile-totals.js';
import type {
  AbsentRecord,
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
import { appendRecords, forgetProcesses, idRanges, packRecords, type StoreRun } from './append-records.js';
import { changeRecords } from './change-records.js';
import { countTotals } from './count-totals.js';
import { findRecord, listRecords } from './read-records.js';
import { applyRetention, byReason, removeHalf } from './remove-records.js';
import { selectMeta, StoreTransaction } from './store-transaction.js';
import type { RunSql, SqlDatabase, SqlRow, WriteOptions } from './sql-database.js';

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
  /** This process in the table of processes; it is entered there with the first write. */
  readonly #run: StoreRun;
  #hasWritten = false;

  constructor(database: SqlDatabase, { retention }: StoreOptions) {
    this.#database = database;
    this.#retention = { ...defaultRetention, ...retention };
    this.#run = { id: randomInt(2 ** 48 - 1), ids: '' };
  }

  async append(write: StoreWrite): Promise<StoreAnswer> {
    const packed = packRecords(write.records);
    // An id that was given out must not be given out again; records need not wait for the disk, which may take long.
    const options = { isOnDisk: write.reserve !== undefined };
    const answer = await this.#changing(async (transaction) => {
      if (!this.#hasWritten) await forgetProcesses(transaction);
      const { known, ...answer } = await appendRecords(transaction, packed, { write, run: this.#run });
      const bytes = await applyRetention(transaction, this.#retention, {
        waiting: write.waiting,
        oldestMs: Number(known['seen_at']) - Number(known['oldest'] ?? known['seen_at']),
      });
      const { removed } = transaction;
      const pruned = byReason(
        (reason) => Number(known[`pruned_${reason}`]) + (removed.get(`${reason} ${this.#run.id}`) ?? 0),
      );
      const records = transaction.get('app') + transaction.get('profiler') + transaction.get('marked');
      return { ...answer, tally: { records, bytes, pruned } };
    }, options).catch(async (error: unknown) => {
      // Makes room for the next attempt, which the caller makes anyway.
      if (isFull(error) && this.#database.fillsDisk?.() === true)
        await this.#changing(removeHalf).catch(() => undefined);
      throw error;
    });
    this.#hasWritten = true;
    const notice = this.#database.takeNotice();
    if (answer.reserved !== undefined) this.#run.ids = idRanges(this.#run, answer.reserved);
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

  async close(): Promise<void> {
    try {
      if (this.#hasWritten)
        await this.#changing(({ run, table }) =>
          run(`UPDATE ${table('process')} SET has_ended = 1, waiting = 0 WHERE id = $1`, [this.#run.id]),
        );
    } catch {
      // What waits in the process is waited for a little longer then.
    } finally {
      await this.#database.close();
    }
  }

  #changing<Result>(
    work: (transaction: StoreTransaction) => Promise<Result>,
    options: WriteOptions = { isOnDisk: true },
  ): Promise<Result> {
    const change = async (run: RunSql, rows: readonly SqlRow[]): Promise<Result> => {
      const transaction = new StoreTransaction(this.#database, run, rows);
      const result = await work(transaction);
      await transaction.saveMeta();
      return result;
    };
    return this.#database.write(selectMeta(this.#database.dialect), change, options);
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'PROFILER_STORE_FULL';
}
