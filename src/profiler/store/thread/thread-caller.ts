import { Worker } from 'node:worker_threads';
import { CodedError } from '#coded-error';
import { storeErrors } from '../policy/error-codes.js';

/** A call of a method in the thread. */
export interface ThreadCall {
  /** 0 if no answer is expected. */
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface ThreadAnswer {
  /** Id of the call; 0 for a message that answers no call. */
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly fix: string | undefined };
}

interface ThreadOptions {
  readonly file: URL;
  /** Name of the store, for errors. */
  readonly name: string;
  /** Called at each start. Returns the data for the thread and a callback for its end. */
  readonly start: () => { readonly data: unknown; readonly ended: () => void };
  /** Called with messages that answer no call. */
  readonly notified: (message: unknown) => void;
}

interface Waiting {
  readonly worker: Worker;
  resolve(answer: ThreadAnswer): void;
  reject(error: unknown): void;
}

type ThreadMethods<Methods> = { readonly [Name in keyof Methods]: (...args: never[]) => unknown };

/** Client of a thread, which is started on demand, and again after it ended. */
export class ThreadCaller<Methods extends ThreadMethods<Methods>> {
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #ids = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Calls a method in the thread. Rejects with a coded error, also if the thread ends before it answers. */
  async call<Method extends keyof Methods & string>(
    method: Method,
    ...args: Parameters<Methods[Method]>
  ): Promise<Awaited<ReturnType<Methods[Method]>>> {
    const id = ++this.#ids;
    const { result, error } = await new Promise<ThreadAnswer>((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      worker.postMessage({ id, method, args } satisfies ThreadCall); // throws if the arguments cannot be cloned; then nothing waits
      this.#waiting.set(id, { worker, resolve, reject });
      // Keeps the process alive only while an answer is awaited.
      worker.ref();
    });
    if (error === undefined) return result as Awaited<ReturnType<Methods[Method]>>; // the method's result in the thread
    throw new CodedError(error.code, error.message, { fix: error.fix });
  }

  /** Calls a method without waiting for its answer. */
  post<Method extends keyof Methods & string>(method: Method, ...args: Parameters<Methods[Method]>): void {
    (this.#worker ??= this.#start()).postMessage({ id: 0, method, args } satisfies ThreadCall);
  }

  /** Terminates the thread, unless it is working. */
  terminateIfIdle(): void {
    if (this.#waiting.size > 0) return;
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Terminates the thread after a last call. */
  async close<Method extends keyof Methods & string>(
    method: Method,
    ...args: Parameters<Methods[Method]>
  ): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    try {
      await this.call(method, ...args);
    } finally {
      await worker.terminate();
    }
  }

  #start(): Worker {
    const { file, start, notified } = this.#options;
    const { data, ended } = start();
    // The application's own flags (loaders, inspectors, heap sizes) are not passed on.
    const worker = new Worker(file, {
      workerData: data,
      execArgv: ['--no-warnings'],
      name: 'lookback store',
    });
    const end = (reason: string): void => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#reject(worker, reason);
      ended();
    };
    worker.unref();
    worker.on('message', (answer: ThreadAnswer) => {
      if (answer.id === 0) notified(answer.result);
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on('error', (error) => end(error instanceof Error ? error.message : 'unknown'));
    worker.on('exit', (code) => end(`exit code ${code}`));
    return worker;
  }

  #reject(worker: Worker, reason: string): void {
    const error = storeErrors.create('PROFILER_STORE_WRITER', { path: this.#options.name, reason });
    for (const [id, waiting] of this.#waiting) {
      if (waiting.worker !== worker) continue;
      this.#waiting.delete(id);
      waiting.reject(error);
    }
  }
}
