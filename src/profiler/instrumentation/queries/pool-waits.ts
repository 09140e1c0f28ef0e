import { channel } from 'node:diagnostics_channel';
import { currentRecording } from '#profiler';
import { callMethod, deepField, fieldOf } from '../source/fields.js';
import { type Moment, runAtMoment, takeMoment } from '../source/moment.js';
import { followPromise, replaceMethod, type Undo } from '#core/patches';

const waits = channel('lookback:persistence:wait');

/** Pool connections in use, their maximum, and the number of callers already waiting. */
interface PoolState {
  readonly inUse: number;
  readonly max: number;
  readonly waiting: number;
}

/** A request that holds a pool connection. */
interface Holder {
  readonly token: string;
  readonly since: number;
}

const maxHolders = 10;
/** Larger than any pool, for libraries that do not report dropped connections. */
const maxKept = 1000;

/** The requests that hold a pool's connections. */
class PoolUse {
  readonly #holders = new Map<object, Holder>();

  constructor(pool: object) {
    // Some libraries pass the connection first, others an error.
    const free = (...told: unknown[]): void => {
      for (const one of told) if (typeof one === 'object' && one !== null) this.#holders.delete(one);
    };
    for (const event of ['release', 'remove', 'destroySuccess']) callMethod(pool, 'on', event, free);
  }

  take(connection: unknown, token: string | undefined): void {
    if (typeof connection !== 'object' || connection === null) return;
    this.#holders.delete(connection);
    if (token !== undefined && this.#holders.size < maxKept)
      this.#holders.set(connection, { token, since: performance.now() });
  }

  /** Returns the requests that hold a connection, longest first. */
  list(): readonly { readonly token: string; readonly heldMs: number }[] {
    const now = performance.now();
    return [...this.#holders]
      .filter(([connection]) => deepField(connection, 'stream', 'destroyed') !== true)
      .map(([, { token, since }]) => ({ token, heldMs: now - since }))
      .toSorted((a, b) => b.heldMs - a.heldMs)
      .slice(0, maxHolders);
  }
}

const uses = new WeakMap<object, PoolUse>();

function useOf(pool: object): PoolUse {
  let use = uses.get(pool);
  if (use === undefined) uses.set(pool, (use = new PoolUse(pool)));
  return use;
}

/** Captures the current request. The returned function records it as the holder of a connection. */
export function noteHolders(pool: object): (connection: unknown) => void {
  const token = currentRecording()?.token;
  const use = useOf(pool);
  return (connection) => use.take(connection, token);
}

/** Message about a wait for a connection. Published when the wait begins, and completed when it ends. */
class PoolWait {
  readonly pool: string;
  readonly startedAt: number;
  readonly inUse: number;
  readonly max: number;
  readonly waiting: number;
  readonly holders: ReturnType<PoolUse['list']>;
  readonly callSite: readonly unknown[];
  durationMs: number | undefined;

  constructor(
    pool: string,
    { inUse, max, waiting }: PoolState,
    { moment, use }: { moment: Moment; use: PoolUse },
  ) {
    this.pool = pool;
    this.startedAt = moment.startedAt;
    this.inUse = inUse;
    this.max = max;
    this.waiting = waiting;
    this.holders = use.list();
    this.callSite = moment.callSite();
  }

  ended(): void {
    this.durationMs ??= performance.now() - this.startedAt;
  }
}

/** Begins the current request's wait for a connection, if all connections in the pool are in use. */
function beginWait(pool: object, name: string, state: PoolState): PoolWait | undefined {
  const moment = waits.hasSubscribers ? takeMoment() : undefined;
  if (moment === undefined) return undefined;
  const wait = new PoolWait(name, state, { moment, use: useOf(pool) });
  runAtMoment(moment, () => waits.publish(wait));
  return wait;
}

/** Begins a wait if all connections in a pg pool are in use. */
export function beginPgWait(pool: object): PoolWait | undefined {
  const [total, idle, waiting, max] = [
    fieldOf(pool, 'totalCount'),
    fieldOf(pool, 'idleCount'),
    fieldOf(pool, 'waitingCount'),
    deepField(pool, 'options', 'max'),
  ].map(Number);
  if (total === undefined || max === undefined || !(total >= max)) return undefined;
  const inUse = total - (idle ?? 0);
  return inUse < max ? undefined : beginWait(pool, 'postgresql', { inUse, max, waiting: waiting ?? 0 });
}

/** Instruments the prototype of mysql2's pools. */
export function instrumentMysqlPool(prototype: object): Undo | undefined {
  const watched = new WeakSet<object>();
  let enqueued: object | undefined; // the pool whose caller was just queued
  return replaceMethod<object>(prototype, 'getConnection', (former, args, self) => {
    const [callback, ...rest] = args;
    if (typeof callback !== 'function' || currentRecording() === undefined)
      return Reflect.apply(former, self, args);
    if (!watched.has(self)) {
      watched.add(self);
      callMethod(self, 'on', 'enqueue', () => void (enqueued = self));
    }
    const note = noteHolders(self);
    let wait: PoolWait | undefined;
    enqueued = undefined;
    const noting = (error: unknown, connection: unknown): unknown => {
      wait?.ended();
      if (!error) note(connection);
      return Reflect.apply(callback, undefined, [error, connection]);
    };
    const result: unknown = Reflect.apply(former, self, [noting, ...rest]);
    if (enqueued === self) {
      const max = Number(deepField(self, 'config', 'connectionLimit'));
      const waiting = Number(deepField(self, '_connectionQueue', 'length')) - 1;
      wait = beginWait(self, 'mysql', { inUse: max, max, waiting: waiting > 0 ? waiting : 0 });
    }
    return result;
  });
}

/** Instruments the prototype of tarn's pools, which Knex uses. */
export function instrumentTarnPool(prototype: object): Undo | undefined {
  return replaceMethod<object>(prototype, 'acquire', (former, args, self) => {
    if (currentRecording() === undefined) return Reflect.apply(former, self, args);
    const count = (name: string): number => Number(callMethod(self, name)) || 0;
    const [inUse, max] = [count('numUsed'), Number(fieldOf(self, 'max'))];
    const wait =
      count('numFree') === 0 && inUse > 0 && inUse + count('numPendingCreates') >= max
        ? beginWait(self, 'tarn', { inUse, max, waiting: count('numPendingAcquires') })
        : undefined;
    const note = noteHolders(self);
    const pending: unknown = Reflect.apply(former, self, args);
    const followed = followPromise(fieldOf(pending, 'promise'), {
      done(connection) {
        wait?.ended();
        note(connection);
      },
      failed: () => wait?.ended(),
    });
    if (followed !== undefined && typeof pending === 'object' && pending !== null)
      Reflect.set(pending, 'promise', followed);
    return pending;
  });
}
