import { randomBytes } from 'node:crypto';
import type { BlockSearch } from '../../find/block/block-search.js';
import type { RecordBytes } from '../../form/segment-reader.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type {
  AbsentRecord,
  Lease,
  ProcessAccount,
  ProcessCounts,
  Segment,
  StoreTally,
} from '../../model/profile-store.js';
import { storeErrors } from '../policy/error-codes.js';
import { packKeysAndSums } from '../pages/block-sums.js';
import { byReason } from '../policy/retention.js';
import { packSegment } from '../remote/pack-segment.js';
import type { RemoteOptions, RemoteStore } from '../remote/remote-store.js';
import { type TokenState, tokenStateOf } from '../tokens/token-state.js';
import { TakenKeys } from '../tokens/taken-keys.js';
import { toRanges } from '../tokens/to-ranges.js';
import { loadRedis, RedisConnection } from './redis-connection.js';
import { RedisMirror } from './redis-mirror.js';
import { RedisReader } from './redis-reader.js';
import {
  readRuns,
  type Reply,
  replyFields,
  replyList,
  replyNumber,
  replyText,
  writeRuns,
} from './redis-reply.js';
import { leaseScript, pruneScript, writeScript } from './redis-scripts.js';

/** Estimated size of a stream entry in addition to its contents, in bytes. */
const entryBytes = 400;
/** Maximum number of segments to prune per script call, because a script blocks the server. */
const segmentsPerRound = 50;
/** Version of the stored data. */
const schemaVersion = 1;

/** Opens a store in Redis or Valkey. `?prefix=` in the address is the prefix of all keys; the default is `lookback`. */
export async function openRedisStore(options: RemoteOptions): Promise<RemoteStore> {
  return new RedisStore(new RedisConnection(await loadRedis(), options), options);
}

class RedisStore implements RemoteStore {
  readonly #connection: RedisConnection;
  readonly #options: RemoteOptions;
  readonly #reader: RedisReader;
  readonly #mirrors: Readonly<Record<RecordBucket, RedisMirror>>;
  #tokenState: TokenState | undefined;
  /**
   * Number of records that this process has ever stored, and how many of them the server has lost since: all, or the
   * last ones before a crash.
   */
  #committed = 0;
  #lost = 0;
  /** The latest write. Writes run sequentially, so that a segment written twice is recognized the second time. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(connection: RedisConnection, options: RemoteOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#reader = new RedisReader(connection, options.process.run);
    this.#mirrors = {
      app: new RedisMirror(connection, 'app'),
      profiler: new RedisMirror(connection, 'profiler'),
    };
  }

  async lease(amount: number): Promise<Lease> {
    const { secret = randomBytes(16).toString('hex'), next = 0 } = this.#tokenState ?? {};
    const args = [...this.#identity(), amount, secret, next, schemaVersion];
    const reply = replyList(await this.#connection.run(leaseScript, ...args));
    const [given, stop, found] = reply.map(replyText);
    this.#checkVersion(found);
    const to = Number(stop);
    const lease = { secret: given ?? '', from: to - amount, to };
    this.#tokenState = tokenStateOf(lease, this.#tokenState);
    return lease;
  }

  async secret(): Promise<string> {
    const meta = `${this.#connection.prefix}meta`;
    const [secret, version] = replyList(await this.#connection.call('HMGET', meta, 'secret', 'version'));
    this.#checkVersion(replyText(version));
    if (secret !== null) return replyText(secret);
    throw storeErrors.create('PROFILER_STORE_ABSENT', { path: this.#options.name });
  }

  write(segments: readonly Segment[], counts?: ProcessCounts): Promise<StoreTally> {
    return this.#runSequentially(async () => {
      const committed = await this.#write(segments, counts);
      await this.#prune();
      const tally = await this.tally();
      this.#committed = committed; // set last: a write that fails before this is retried
      return tally;
    });
  }

  find(key: number): Promise<RecordBytes | AbsentRecord> {
    return this.#reader.find(key);
  }

  async searched<Result>(
    bucket: RecordBucket,
    read: (search: BlockSearch) => Promise<Result>,
  ): Promise<Result> {
    const mirror = this.#mirrors[bucket];
    await mirror.sync();
    return read(mirror.search);
  }

  async follow(wake: () => void): Promise<void> {
    await this.#connection.subscribe('news', wake);
  }

  async unfollow(): Promise<void> {
    this.#connection.unsubscribe();
  }

  prune(bucket?: RecordBucket): Promise<StoreTally> {
    return this.#runSequentially(async () => {
      this.#committed = await this.#write([], undefined);
      await this.#prune(bucket);
      return this.tally();
    });
  }

  async tally(): Promise<StoreTally> {
    const { prefix } = this.#connection;
    const total = replyFields(await this.#connection.call('HGETALL', `${prefix}total`));
    const mine = replyFields(await this.#connection.call('HGETALL', this.#processKey()));
    return {
      pruned: byReason((reason) => replyNumber(mine, reason)),
      lost: this.#lost,
      setAside: null,
      renamed: replyNumber(mine, 'renamed'),
      records: replyNumber(total, 'app') + replyNumber(total, 'profiler'),
      bytes: replyNumber(total, 'bytes'),
    };
  }

  async putNote(kind: string, name: string, text: string | null): Promise<void> {
    const key = `${this.#connection.prefix}note:${kind}`;
    await (text === null
      ? this.#connection.call('HDEL', key, name)
      : this.#connection.call('HSET', key, name, text));
  }

  async notes(kind: string, name?: string): Promise<ReadonlyMap<string, string>> {
    const key = `${this.#connection.prefix}note:${kind}`;
    if (name === undefined) {
      const found = replyFields(await this.#connection.call('HGETALL', key));
      return new Map([...found].map(([field, text]) => [field, replyText(text)]));
    }
    const text = await this.#connection.call('HGET', key, name);
    return text === null ? new Map() : new Map([[name, replyText(text)]]);
  }

  processes(): Promise<readonly ProcessAccount[]> {
    return this.#reader.processes();
  }

  async leave(): Promise<void> {
    try {
      await this.#lastWrite;
      if (this.#tokenState !== undefined)
        await this.#connection.call('HSET', this.#processKey(), 'isOver', 1, 'pending', 0);
    } catch {
      // Other processes see that this one no longer writes.
    }
  }

  async close(): Promise<void> {
    await this.leave();
    this.#connection.close();
  }

  #checkVersion(version: string | undefined): void {
    const found = Number(version);
    if (found > schemaVersion)
      throw storeErrors.create('PROFILER_STORE_NEWER', {
        path: this.#options.name,
        found,
        known: schemaVersion,
      });
  }

  async #write(segments: readonly Segment[], counts: ProcessCounts | undefined): Promise<number> {
    const deflated = await Promise.all(segments.map(packSegment));
    const reported = counts === undefined ? ['', '', ''] : [counts.made, counts.dropped, counts.pending];
    let taken: ReadonlySet<number> = new Set();
    for (;;) {
      const free = new TakenKeys((key) => taken.has(key));
      const keys = segments.map((segment) => free.replace(segment.keys));
      const parts = deflated.flatMap(({ segment, directory, body }, at) => {
        const { bucket, number, startedAt, closedAt } = segment;
        const own = keys[at] ?? [];
        const bytes = directory.length + body.length + entryBytes;
        const ranges = toRanges(own).map(({ start, end }) => `${start}:${end}`);
        const facts = JSON.stringify(segment.facts);
        const head = [bucket, number, own.length, bytes, startedAt, closedAt, facts];
        const packed = packKeysAndSums(own, [directory, body]);
        return [...head, writeRuns(own), directory, body, ranges.join(','), packed];
      });
      const args = [...this.#identity(), ...reported, free.renamed, segments.length, ...parts];
      const [isDone, answer, after] = replyList(await this.#connection.run(writeScript, ...args));
      if (isDone === 1) {
        this.#lost += Math.max(0, this.#committed - Number(answer));
        this.#committed = Number(answer);
        return Number(after);
      }
      taken = new Set([...taken, ...replyList(answer).flatMap((range) => readRuns(replyText(range)))]);
    }
  }

  async #prune(bucket: RecordBucket | '' = ''): Promise<void> {
    const { records, profilerRecords, bytes, ageMs } = this.#options.retention;
    let isMore: Reply = 1;
    while (isMore === 1) {
      const limits = [bucket, records, profilerRecords, bytes, ageMs, Date.now(), segmentsPerRound];
      isMore = await this.#connection.run(pruneScript, ...limits);
    }
  }

  #identity(): (string | number)[] {
    const { run, host, pid, version: own, startedAt } = this.#options.process;
    return [run, host, pid, own, startedAt];
  }

  #processKey(): string {
    return `${this.#connection.prefix}process:${this.#options.process.run}`;
  }

  #runSequentially<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#lastWrite.then(work);
    this.#lastWrite = done.catch(() => undefined);
    return done;
  }
}
