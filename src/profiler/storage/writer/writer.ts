import { clearTimeout as clearTimer, setTimeout as setTimer } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import type { AbsentRecord, FoundRecord } from '../../model/record-lookup.js';
import type { ProfileRecord, StoredFinding } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { ProfileTotals, TotalsQuery } from '../../model/profile-query.js';
import { boundedRoutes, type DeclaredRoutes, type StoredRoutes } from '../../model/declared-routes.js';
import type { Amendments } from '../../encoding/amendments.js';
import type { EncodedBatch } from '../../encoding/encoded-record.js';
import type { RecordSource } from '../../encoding/to-record.js';
import { isRandomId, tokenOf } from '../../encoding/token.js';
import type {
  FinishedRecord,
  RecordStore,
  StoreChange,
  StorePage,
  StoreSearch,
  StoreTally,
  StoreTarget,
} from '../tables/record-store.js';
import type { Batch } from '../../recording/batch-buffer.js';
import { type Removal, type WaitingBatch, WaitingBatches } from './waiting-batches.js';
import type {
  Converter,
  SourceSettings,
  WriterCounts,
  WriterDrop,
  WriterOptions,
  WriterSource,
} from './writer-options.js';

/**
 * While no one reads, the writer works this share of the time. The share is applied over `overMs`, so that small
 * amounts of work never wait. Rests last at most a second: unusually slow work is waiting for CPU or disk, not using
 * it.
 */
const pace = { share: 0.1, overMs: 500, maxRestMs: 1000 };
const defaultRetryMs = 500;
const maxRetryMs = 30_000;
const maxNotes = 1000;
/** Maximum number of records converted for one answer while the store fails. */
const maxNearRows = 1000;

/** An in-flight request's snapshot. */
export interface OpenRecord {
  readonly batch: EncodedBatch;
  readonly source: number;
}

/**
 * Converts encoded records and writes them to the store: batches with failed or slow requests first, the others in
 * order and at a limited pace unless someone reads. Records that the retention removes while they wait are never
 * converted. If the store fails, batches wait (bounded), and readers are served from them.
 */
export class Writer {
  readonly #options: WriterOptions;
  /** The applications whose records it converts, by number. */
  readonly #sources = new Map<number, WriterSource>();
  readonly #waiting: WaitingBatches;
  #taken: readonly WaitingBatch[] = [];
  #stored = 0;
  #pruned = 0;
  readonly #dropped: Record<WriterDrop, number> = { 'queue-full': 0, unrecordable: 0, refused: 0 };
  /** Greatest id that the retention removed while it waited. */
  #prunedTo = -1;
  /** Amendments waiting to be written. */
  readonly #notes: { readonly id: number; readonly late: Amendments }[] = [];
  /** Routes by application, and whether they have to be written. */
  readonly #declared = new Map<number, DeclaredRoutes>();
  #instance = '';
  #hasFreshRoutes = false;
  #toReserve = 0;
  #isReserving = false;
  #store: Promise<RecordStore> | undefined;
  #tally: StoreTally | undefined;
  #error: unknown;
  #retryMs: number;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** When the next batch may be written if no one waits for it, on the `performance.now` clock. */
  #restsUntil = 0;
  #arrivals = 0;
  /** Readers waiting until the batches up to an arrival are written. */
  readonly #readers = new Set<{ readonly upTo: number; readonly resolve: () => void }>();
  #isClosed = false;
  #converter: Promise<Converter> | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#waiting = new WaitingBatches(options.retention, ({ batch }, removal) =>
      this.#noteGone(batch, removal),
    );
    this.#retryMs = options.retryMs ?? defaultRetryMs;
  }

  counts(): WriterCounts {
    const [stored, pruned] = [this.#stored, this.#pruned];
    return { stored, pruned, dropped: { ...this.#dropped }, waiting: this.#waiting.count };
  }

  /** Adds an application, or updates its settings. */
  addSource(source: number, settings: SourceSettings): void {
    const lasting = this.#sources.get(source)?.lasting ?? {};
    this.#sources.set(source, { settings, lasting });
  }

  /** Removes an application. Its waiting batches are still written. */
  removeSource(source: number): void {
    this.#sources.delete(source);
    this.#declared.delete(source);
  }

  /** Queues batches for writing. */
  addAll(batches: readonly Batch[], source: number): void {
    for (const batch of batches) this.add(batch, source);
  }

  /** Queues a batch for writing. */
  add(batch: Batch, number: number): void {
    const source = this.#sources.get(number);
    if (source === undefined) return; // the application was closed and no longer counts
    this.#waiting.add({ batch, source, arrival: ++this.#arrivals });
    if (this.#options.isLazy === true && this.#store === undefined) return;
    if (batch.isUrgent) this.#wake?.();
    void this.#run();
  }

  /** Keeps errors and log lines that followed the end of a record, to be added to it. */
  addLate(id: number, late: Amendments): void {
    if (this.#notes.length >= maxNotes) return;
    this.#notes.push({ id, late });
    if (this.#options.isLazy !== true || this.#store !== undefined) void this.#run();
  }

  /** Keeps an application's routes, to be written with its records. */
  declareRoutes(source: number, instance: string, declared: DeclaredRoutes): void {
    this.#declared.set(source, declared);
    this.#instance = instance;
    this.#hasFreshRoutes = true;
    if (this.#options.isLazy !== true || this.#store !== undefined) void this.#run();
  }

  /** Requests ids, which arrive as `WriterEvents.reserved`. */
  reserve(amount: number): void {
    this.#toReserve = Math.max(this.#toReserve, amount);
    void this.#reserveIds();
  }

  /** Resolves once everything received before is written, or the store has failed. */
  async flush(): Promise<void> {
    if (this.#isClosed) return;
    const written = new Promise<void>((resolve) => void this.#readers.add({ upTo: this.#arrivals, resolve }));
    this.#wake?.();
    void this.#run({ isAsked: true });
    await written;
  }

  /** Looks up a record. `open` is its snapshot, if the request is in flight. */
  async find(id: number, open?: OpenRecord): Promise<FoundRecord | AbsentRecord> {
    const converter = await this.#loadConverter();
    if (this.#notes.length > 0) await this.flush(); // they may belong to this record
    const [seen = this.#findNear(id, converter)] =
      open === undefined ? [] : this.#convertOpen(open, converter);
    if (seen !== undefined) return { kind: 'found', record: seen.record };
    const found = await findWritten(await this.#open(), id);
    const isGone = found.kind === 'missing' && !isRandomId(id) && id <= this.#prunedTo;
    return isGone ? { kind: 'pruned', by: 'count' } : found;
  }

  /** Lists rows. The first page also shows `open`, the requests in flight, newest first. */
  async list(
    search: StoreSearch,
    open: readonly OpenRecord[] = [],
  ): Promise<StorePage & { readonly complete: boolean }> {
    const converter = await this.#loadConverter();
    await this.flush();
    const { before, after, limit, query } = search;
    let near: ProfileSummary[] = [];
    // Records that are not stored yet are shown only in unfiltered lists.
    if (before === undefined && after === undefined && query.sort === undefined && !query.where?.length) {
      const { origin = 'app' } = query;
      near = open.flatMap((one) => this.#convertOpen(one, converter)).map(({ summary }) => summary);
      if (this.#error !== undefined)
        near.push(
          ...this.#nearOf(converter, (batch) => batch.origin === origin).map(({ summary }) => summary),
        );
      const wanted = search.id === undefined ? undefined : tokenOf(search.id);
      near = near.filter((row) => row.origin === origin && (wanted ?? row.token) === row.token);
    }
    try {
      // The cursor continues after the last stored row shown, so at least one is shown.
      const first = near.slice(0, limit - 1);
      const page = await (await this.#open()).list({ ...search, limit: limit - first.length });
      return { ...page, rows: [...first, ...page.rows], complete: true };
    } catch (error) {
      if (this.#error === undefined) this.#fail(error);
      this.#tryLater(); // a store that cannot be read may still be writable
      return { rows: near.slice(0, limit), next: null, position: '', complete: false };
    }
  }

  async totals(query: TotalsQuery): Promise<ProfileTotals> {
    await this.flush();
    return (await this.#open()).totals(query);
  }

  async routes(): Promise<StoredRoutes | undefined> {
    await this.flush();
    return (await this.#open()).routes?.();
  }

  async update(target: StoreTarget, change: StoreChange): Promise<number> {
    await this.flush();
    const changed = await (await this.#open()).update(target, change);
    if ('remove' in change) await this.#append([]);
    return changed;
  }

  /** Writes the waiting batches, and releases the store. Nothing is accepted afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.flush();
    this.#isClosed = true;
    const store = await this.#store?.catch(() => undefined);
    await store?.close();
  }

  /** Loads the converter before the first record is converted; again if that failed. */
  #loadConverter(): Promise<Converter> {
    return (this.#converter ??= this.#options.loadConverter().catch((error: unknown) => {
      this.#converter = undefined;
      this.#options.events.failed(error);
      throw error;
    }));
  }

  #noteGone({ records, greatest }: Batch, removal: Removal): void {
    if (removal === 'dropped') {
      this.#dropped['queue-full'] += records;
      this.#options.events.wrote(this.counts(), this.#tally, this.#error); // a store that hangs reports nothing
    } else {
      this.#pruned += records;
      if (!isRandomId(greatest)) this.#prunedTo = Math.max(this.#prunedTo, greatest);
    }
  }

  /** Runs until nothing is waiting or the store fails. There is at most one run at a time. */
  #run({ isAsked }: { readonly isAsked: boolean } = { isAsked: false }): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    if (this.#running !== undefined) return this.#running;
    // A failed store is retried when the delay has passed, or when someone asks.
    if (this.#error !== undefined && !isAsked) return Promise.resolve();
    return (this.#running = this.#writeAll().finally(() => {
      this.#running = undefined;
      // More may have arrived after the run found nothing left.
      if (this.#error === undefined && this.#hasWork()) void this.#run();
      else this.#answer({ isOver: true });
    }));
  }

  #hasWork(): boolean {
    return this.#waiting.count > 0 || this.#notes.length > 0 || this.#hasFreshRoutes;
  }

  /** Runs concurrently, so that records need not wait until the ids are durable. */
  async #reserveIds(): Promise<void> {
    if (this.#isReserving || this.#isClosed || this.#toReserve === 0) return;
    this.#isReserving = true;
    try {
      await this.#append([], this.#toReserve);
    } catch (error) {
      this.#fail(error);
      this.#tryLater();
    } finally {
      this.#isReserving = false;
    }
  }

  async #writeAll(): Promise<void> {
    let converter: Converter;
    try {
      converter = await this.#loadConverter(); // also lets questions that arrive in the same turn go first
    } catch (error) {
      this.#fail(error);
      return this.#tryLater();
    }
    for (;;) {
      if (this.#isUnhurried && this.#waiting.count > 0) await this.#rest();
      if (!this.#hasWork()) return;
      const next = this.#waiting.take({ isAsked: this.#readers.size > 0 });
      const took = await this.#write(next, converter);
      if (took === undefined) return this.#tryLater();
      const now = performance.now();
      const restsUntil = Math.max(this.#restsUntil, now - pace.overMs) + took / pace.share;
      if (next.length > 0) this.#restsUntil = Math.min(restsUntil, now + pace.maxRestMs);
      this.#answer({ isOver: false });
    }
  }

  /** Resolves readers whose batches are written; all readers if this run is over. */
  #answer({ isOver }: { readonly isOver: boolean }): void {
    const first = this.#waiting.firstArrival;
    for (const reader of this.#readers) {
      if (!isOver && (reader.upTo >= first || this.#notes.length > 0)) continue;
      this.#readers.delete(reader);
      reader.resolve();
    }
  }

  /** Writes batches together. Returns the work in milliseconds; undefined if the store failed. */
  async #write(next: readonly WaitingBatch[], converter: Converter): Promise<number | undefined> {
    this.#taken = next;
    try {
      const begun = performance.now();
      const finished = next.flatMap((one) => (one.finished ??= this.#convert(one, converter)));
      const convertedMs = performance.now() - begun;
      const appendedMs = await this.#append(finished);
      if (this.#hasFreshRoutes) await this.#writeRoutes();
      if (this.#notes.length > 0 && (this.#waiting.count === 0 || this.#readers.size > 0))
        await this.#writeNotes(converter);
      return convertedMs + appendedMs;
    } catch (error) {
      this.#waiting.putBack(next);
      this.#fail(error);
      return undefined;
    } finally {
      this.#taken = [];
    }
  }

  /** Appends records. Returns the work in milliseconds, excluding time the store waited for others. */
  async #append(finished: readonly FinishedRecord[], reserve = 0): Promise<number> {
    const { events, retryMs = defaultRetryMs } = this.#options;
    const store = await this.#open();
    const begun = performance.now();
    const appended = store.append({
      records: finished,
      ...(reserve === 0 ? {} : { reserve }),
      waiting: { ...this.#waiting.records },
    });
    const tookMs = performance.now() - begun;
    const { refused, tally, reserved } = await appended;
    this.#stored += finished.length - refused;
    this.#dropped.refused += refused;
    this.#tally = tally;
    this.#error = undefined;
    this.#retryMs = retryMs;
    if (reserved !== undefined) {
      this.#toReserve = 0; // further ids may be requested meanwhile
      events.reserved(reserved.from, reserved.to);
    }
    events.wrote(this.counts(), tally, undefined);
    return tookMs;
  }

  /** Writes routes for all applications in this process that share the store. */
  async #writeRoutes(): Promise<void> {
    const store = await this.#open();
    const all = [...this.#declared.values()];
    this.#hasFreshRoutes = false;
    try {
      await store.putRoutes?.({
        instance: this.#instance,
        declaredAt: Date.now(),
        ...boundedRoutes({
          routes: all.flatMap(({ routes }) => routes),
          isComplete: all.every(({ isComplete }) => isComplete),
        }),
      });
    } catch (error) {
      this.#hasFreshRoutes = true;
      throw error;
    }
  }

  async #writeNotes(converter: Converter): Promise<void> {
    const store = await this.#open();
    for (let note = this.#notes[0]; note !== undefined; note = this.#notes[0]) {
      // All of a process's applications have their sources in the same folder.
      const [source] = this.#sources.values();
      const sources = source === undefined ? undefined : this.#sourceOf(source, converter).sources;
      const findFindings = (record: ProfileRecord): readonly StoredFinding[] =>
        converter.findFindings(record, sources);
      await store.update({ id: note.id }, { late: note.late, findFindings });
      this.#notes.shift();
    }
  }

  #convert({ batch, source }: WaitingBatch, converter: Converter): FinishedRecord[] {
    const from = this.#sourceOf(source, converter);
    const finished = converter.toRecords(batch, batch.spentMs / batch.records, from);
    this.#dropped.unrecordable += batch.records - finished.length;
    return finished;
  }

  #convertOpen({ batch, source }: OpenRecord, converter: Converter): FinishedRecord[] {
    const from = this.#sources.get(source);
    return from === undefined ? [] : converter.toRecords(batch, 0, this.#sourceOf(from, converter));
  }

  #sourceOf(source: WriterSource, converter: Converter): RecordSource {
    const { kinds, events } = this.#options;
    const failed = (error: unknown): void => events.failed(error);
    return (source.made ??= converter.createSource(source, { kinds, failed }));
  }

  #findNear(id: number, converter: Converter): FinishedRecord | undefined {
    const near = this.#nearOf(converter, ({ least, greatest }) => id >= least && id <= greatest);
    return near.find(({ record }) => record.token === tokenOf(id));
  }

  /** Converts unwritten batches for readers, newest first. */
  #nearOf(converter: Converter, test: (batch: Batch) => boolean): FinishedRecord[] {
    const near: FinishedRecord[] = [];
    for (const waiting of [...this.#taken, ...this.#waiting.latestFirst])
      if (near.length < maxNearRows && test(waiting.batch))
        near.push(...(waiting.finished ??= this.#convert(waiting, converter)).toReversed());
    return near.sort((a, b) => b.record.sequence - a.record.sequence);
  }

  #open(): Promise<RecordStore> {
    const open = async (): Promise<RecordStore> => this.#options.open();
    return (this.#store ??= open().catch((error: unknown) => {
      this.#store = undefined; // reopened by the next attempt
      throw error;
    }));
  }

  #fail(error: unknown): void {
    this.#options.events.wrote(this.counts(), this.#tally, (this.#error = error));
  }

  #tryLater(): void {
    if (this.#isClosed || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      void this.#run({ isAsked: true });
      void this.#reserveIds();
    }, this.#retryMs).unref();
    this.#retryMs = Math.min(maxRetryMs, this.#retryMs * 2);
  }

  get #isUnhurried(): boolean {
    return this.#readers.size === 0 && !this.#waiting.hasUrgent && !this.#isClosed;
  }

  /** Waits until the next write is due, unless a reader or an urgent batch arrives. */
  async #rest(): Promise<void> {
    const milliseconds = this.#restsUntil - performance.now();
    if (milliseconds <= 0) return;
    // No abort signal: an aborted pause's error would be inspected like the application's.
    await new Promise<void>((resolve) => {
      const timer = setTimer(resolve, milliseconds);
      this.#wake = () => {
        clearTimer(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/** How long, and how often, a lookup waits for a record that another process may be about to write. */
const waiting = { ms: 1000, prunedMs: 300, everyMs: 10 };

/**
 * Looks up a record. Waits briefly if its id was issued, or may have been (random ids are not reserved), but the record
 * is missing. A record that seems pruned may also still arrive, because processes use up their reserved ids at
 * different paces.
 */
export async function findWritten(store: RecordStore, id: number): Promise<FoundRecord | AbsentRecord> {
  const begun = performance.now();
  for (;;) {
    const found = await store.find(id);
    if (found.kind === 'found' || (found.kind === 'never' && !isRandomId(id))) return found;
    const ms = found.kind === 'pruned' ? waiting.prunedMs : waiting.ms;
    if (performance.now() - begun >= ms) return found;
    await pause(waiting.everyMs);
  }
}
