import type { RecordBytes } from '../../form/segment-reader.js';
import type { AbsentRecord, ProcessAccount } from '../../model/profile-store.js';
import { toAccount } from '../policy/process-account.js';
import { byReason, isPruneReason } from '../policy/retention.js';
import { readRecordBytes } from '../pages/block-sums.js';
import type { RedisConnection } from './redis-connection.js';
import { segmentRow } from './redis-mirror.js';
import { type Reply, replyFields, replyList, replyNumber, replyText } from './redis-reply.js';

/** A process that was not seen for this many milliseconds counts as lost. */
const silenceMs = 30_000;
/** Names of hash fields, where they differ from those that `toAccount` reads. */
const fieldNames = new Map([
  ['number', 'pid'],
  ['seen', 'seenAt'],
  ['started_at', 'startedAt'],
  ...Object.entries(byReason((reason) => reason)).map(([reason]) => [`pruned_${reason}`, reason] as const),
]);

/** Reads single records of any process, and the accounts of processes. */
export class RedisReader {
  readonly #connection: RedisConnection;
  readonly #run: number;

  /** `run` identifies the calling process, which itself knows which of its records are not written yet. */
  constructor(connection: RedisConnection, run: number) {
    this.#connection = connection;
    this.#run = run;
  }

  async find(key: number): Promise<RecordBytes | AbsentRecord> {
    const { prefix } = this.#connection;
    const range = await this.#below('ranges', key);
    const [, stop, place] = parseRange(range);
    if (stop > key) {
      const [bucket = '', id = ''] = place.split(':');
      const [entry] = replyList(await this.#connection.call('XRANGE', prefix + bucket, id, id));
      const body = await this.#connection.call('GET', `${prefix}body:${place}`);
      const gone = await this.#connection.call('HGET', `${prefix}gone`, id);
      const row = { ...segmentRow(replyFields(replyList(entry)[1])), body };
      // The entry and its body are both gone if the segment was pruned between the calls.
      const found = body === null ? undefined : readRecordBytes(row, key, Number(replyText(gone)));
      if (found !== undefined) return found;
    }
    return this.#explain(key);
  }

  async processes(): Promise<readonly ProcessAccount[]> {
    const { prefix } = this.#connection;
    const runs = replyList(await this.#connection.call('ZREVRANGE', `${prefix}processes`, 0, 999));
    const now = await this.#now();
    const found = await Promise.all(
      runs.map((run) => this.#connection.call('HGETALL', `${prefix}process:${replyText(run)}`)),
    );
    return found.map((reply) => accountOf(replyFields(reply), now));
  }

  async #explain(key: number): Promise<AbsentRecord> {
    const { prefix } = this.#connection;
    const next = Number(replyText(await this.#connection.call('HGET', `${prefix}meta`, 'next')));
    if (key < 0 || key >= next) return 'never';
    const [, stop, reason] = parseRange(await this.#below('pruned', key));
    const isPruned = stop > key;
    if (isPruned && isPruneReason(reason)) return reason;
    const [, end, run] = parseRange(await this.#below('leases', key));
    if (end <= key) return 'pruned';
    if (Number(run) === this.#run) return 'missing';
    const owner = replyFields(await this.#connection.call('HGETALL', `${prefix}process:${run}`));
    return accountOf(owner, await this.#now()).state === 'running' ? 'unwritten' : 'missing';
  }

  /** Returns the range in a sorted set that contains a key or is the nearest below it. */
  async #below(set: string, key: number): Promise<Reply | undefined> {
    const args = [`${this.#connection.prefix}${set}`, key, '-inf', 'LIMIT', 0, 1];
    return replyList(await this.#connection.call('ZREVRANGEBYSCORE', ...args))[0];
  }

  async #now(): Promise<number> {
    const [seconds] = replyList(await this.#connection.call('TIME'));
    return Number(replyText(seconds)) * 1000;
  }
}

/** Parses a range of the form `start:stop:rest`. */
function parseRange(member: Reply | undefined): [start: number, stop: number, rest: string] {
  const [, start, stop, rest = ''] = /^(-?\d+):(-?\d+):(.*)$/.exec(replyText(member)) ?? [];
  return [Number(start ?? Number.NaN), Number(stop ?? Number.NaN), rest];
}

function accountOf(fields: ReadonlyMap<string, Reply>, now: number): ProcessAccount {
  const isSilent = replyNumber(fields, 'seenAt') < now - silenceMs;
  const state = replyNumber(fields, 'isOver') === 1 ? 'ended' : isSilent ? 'lost' : 'running';
  return toAccount((name) => replyText(fields.get(fieldNames.get(name) ?? name)), state);
}
