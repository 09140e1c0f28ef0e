import { Worker } from 'node:worker_threads';
import { CodedError } from '#core/coded-error';
import type { SpanKind } from '../../encoding/spans.js';
import type { Retention } from '../tables/retention.js';
import { isServerAddress } from '../tables/store-name.js';
import { spanKinds } from '../../recording/span-list.js';
import type { Batch } from '../../recording/batch-buffer.js';
import type { Writer } from './writer.js';
import type { WriterEvents } from './writer-options.js';

/** Writer methods without an answer. */
export type PostingMethod = 'addSource' | 'removeSource' | 'addAll' | 'addLate' | 'declareRoutes' | 'reserve';
/** Writer methods with an answer. */
export type AskingMethod = 'find' | 'list' | 'totals' | 'routes' | 'update' | 'flush' | 'close';
export type ArgsOf<Method extends PostingMethod | AskingMethod> = Parameters<Writer[Method]>;
export type AnswerOf<Method extends AskingMethod> = Awaited<ReturnType<Writer[Method]>>;

/** Data passed to a writer thread at its start. */
export interface WriterThreadData {
  readonly address: string;
  readonly retention: Retention;
}

/** Marks both sides' messages, because Node (`--watch`), loaders and the application share the channel. */
export const ownMessage = 'lookback writer';

const postingMethods: readonly PostingMethod[] = [
  'addSource',
  'removeSource',
  'addAll',
  'addLate',
  'declareRoutes',
  'reserve',
];
const askingMethods: readonly AskingMethod[] = [
  'find',
  'list',
  'totals',
  'routes',
  'update',
  'flush',
  'close',
];
const methods: ReadonlySet<unknown> = new Set([...postingMethods, ...askingMethods]);
const events: ReadonlySet<unknown> = new Set<ThreadReport['event']>([
  'wrote',
  'reserved',
  'failed',
  'answered',
]);

interface WriterCall {
  readonly method: PostingMethod | AskingMethod;
  readonly args: readonly unknown[];
  /** Number of the question; 0 if no answer is expected. */
  readonly number: number;
  /** Set to 1 when the call is complete; the process waits for it with its event loop blocked. */
  readonly done?: Int32Array<SharedArrayBuffer>;
}

export interface SentCall extends WriterCall {
  readonly sender: typeof ownMessage;
  /** Span kinds registered since the last call. */
  readonly kinds: readonly SpanKind[];
}

export interface SentError {
  readonly code: string | null;
  readonly message: string;
  readonly fix?: string | undefined;
}

/** A message from the thread: an event, or a numbered answer. The last argument may be an error. */
export interface ThreadReport {
  readonly sender: typeof ownMessage;
  readonly event: keyof WriterEvents | 'answered';
  readonly args: readonly unknown[];
  readonly error: SentError | undefined;
}

/** Events from the thread itself, in addition to the writer's. */
export interface ThreadEvents extends WriterEvents {
  /** The thread ended, and its contents are lost. */
  ended(reason: string): void;
}

/** Returns whether a message received by the thread is a call, not a message from Node or the application. */
export function isSentCall(message: unknown): message is SentCall {
  return isOwn(message) && methods.has(message.method);
}

function isThreadReport(message: unknown): message is ThreadReport {
  return isOwn(message) && events.has(message.event);
}

/** The mark is compared first, so that nothing else in a foreign message is read. */
function isOwn(message: unknown): message is { readonly method?: unknown; readonly event?: unknown } {
  if (typeof message !== 'object' || message === null) return false;
  return Object.getOwnPropertyDescriptor(message, 'sender')?.value === ownMessage;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * How long process exit blocks to flush the last records, in milliseconds. Node may abort if a thread is stopped within
 * SQLite, where each of its last writes waits up to two seconds for another process's lock.
 */
const endTimeoutMs = { server: 2000, file: 7000 };
/** Maximum number of calls queued until the thread starts. */
const maxUnsent = 250;

/** A writer in its own thread, started on demand and restarted after it ends. */
export class WriterThread {
  readonly #data: WriterThreadData;
  readonly #events: ThreadEvents;
  /** The applications, sent first to each new thread. */
  readonly #sources = new Map<unknown, WriterCall>();
  readonly #unsent: WriterCall[] = [];
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #sentKinds = 0;
  #numbers = 0;
  /** Number of the question that closes the writer. */
  #closing = 0;

  constructor(data: WriterThreadData, events: ThreadEvents) {
    this.#data = data;
    this.#events = events;
  }

  /** Starts the thread; until then, batches are queued. */
  start(): void {
    this.#worker ??= this.#start();
  }

  post<Method extends PostingMethod>(method: Method, ...args: ArgsOf<Method>): void {
    const call: WriterCall = { method, args, number: 0 };
    if (method === 'addSource') this.#sources.set(args[0], call);
    if (method === 'removeSource') this.#sources.delete(args[0]);
    if (method === 'addLate') this.start();
    if (this.#worker !== undefined) return this.#send(this.#worker, call);
    if (method !== 'addSource' && method !== 'removeSource') this.#unsent.push(call);
    if (this.#unsent.length > maxUnsent) this.start();
  }

  async ask<Method extends AskingMethod>(method: Method, ...args: ArgsOf<Method>): Promise<AnswerOf<Method>> {
    if (method === 'close' && this.#worker === undefined && this.#unsent.length === 0)
      return undefined as AnswerOf<Method>; // the return type of `close`
    const worker = (this.#worker ??= this.#start());
    const number = ++this.#numbers;
    if (method === 'close') this.#closing = number;
    const result = await new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#send(worker, { method, args, number });
      // Keeps the process alive only while an answer is pending.
      worker.ref();
    });
    if (method === 'close') await worker.terminate();
    return result as AnswerOf<Method>; // the method's result in the thread
  }

  /**
   * Writes pending records synchronously, because the process may end (or ends: `isLast`) and nothing can be awaited.
   */
  saveNow({ isLast }: { readonly isLast: boolean }): void {
    if (this.#worker === undefined && this.#unsent.length === 0) return;
    const worker = (this.#worker ??= this.#start());
    const done = new Int32Array(new SharedArrayBuffer(4));
    this.#send(worker, { method: isLast ? 'close' : 'flush', args: [], number: 0, done });
    Atomics.wait(done, 0, 0, isServerAddress(this.#data.address) ? endTimeoutMs.server : endTimeoutMs.file);
  }

  #send(worker: Worker, call: WriterCall): void {
    const known = spanKinds();
    const kinds = known.length === this.#sentKinds ? [] : known.slice(this.#sentKinds);
    this.#sentKinds = known.length;
    worker.postMessage(
      { sender: ownMessage, ...call, kinds } satisfies SentCall,
      call.method === 'addAll' ? bytesOf(call) : [],
    );
  }

  #start(): Worker {
    // Does not inherit the application's flags (loaders, inspectors, heap sizes).
    const worker = new Worker(new URL('./write-in-thread.js', import.meta.url), {
      workerData: this.#data,
      execArgv: ['--no-warnings'],
      name: 'lookback writer',
      resourceLimits: { maxYoungGenerationSizeMb: 12 }, // its objects are short-lived; a larger young generation would only hold memory
    });
    worker.on('message', (message: unknown) => {
      if (isThreadReport(message)) this.#take(message, worker);
    });
    worker.on('error', (error) => this.#lost(worker, error instanceof Error ? error.message : 'unknown'));
    worker.on('exit', (code) => this.#lost(worker, `exit code ${code}`));
    worker.unref(); // last, because a message listener makes the thread keep the process alive again
    this.#sentKinds = 0;
    for (const call of [...this.#sources.values(), ...this.#unsent.splice(0)]) this.#send(worker, call);
    return worker;
  }

  #take({ event, args, error: sent }: ThreadReport, worker: Worker): void {
    const error = sent === undefined ? undefined : toError(sent);
    if (event !== 'answered') {
      Reflect.apply(this.#events[event], this.#events, error === undefined ? args : [...args, error]);
      return;
    }
    const [number, result] = args as [number, unknown]; // as sent by `write-in-thread`
    // Cleared at once: the thread may end in this loop turn, which is not a failure.
    if (number === this.#closing && this.#worker === worker) this.#worker = undefined;
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) worker.unref();
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(error);
  }

  #lost(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#events.ended(reason);
    const error = new Error(`The writer thread exited: ${reason}.`);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** Returns the batches' memory, transferred without a copy because nothing else uses it. */
function bytesOf({ args: [batches] }: WriterCall): ArrayBuffer[] {
  return (batches as readonly Batch[]).map(({ data }) => data.buffer as ArrayBuffer); // `addAll`'s arguments; `RecordEncoder.take` never returns shared memory
}

function toError({ code, message, fix }: SentError): Error {
  return code === null ? new Error(message) : new CodedError(code, message, { fix });
}
