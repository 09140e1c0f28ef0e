import { Worker } from 'node:worker_threads';
import { CodedError } from '#coded-error';
import { storeErrors } from '../policy/error-codes.js';

/** A call of a method in the thread. */
export interface ThreadCall {
  /** 0 where no answer is awaited. */
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface ThreadAnswer {
  /** That of the call; 0 for a message that the thread sends unasked. */
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly fix: string | undefined };
}

interface ThreadOptions {
  readonly file: URL;
  /** Of the store, for errors. */
  readonly name: string;
  /** Called with each start: what the thread is given, and what is to be done when it ended. */
  readonly start: () => { readonly data: unknown; readonly ended: () => void };
  /** Called with what the thread sends unasked. */
  readonly notified: (message: unknown) => void;
}

interface Waiting {
  readonly worker: Worker;
  resolve(answer: ThreadAnswer): void;
  reject(error: unknown): void;
}

type ThreadMethods<Methods> = { readonly [Name in keyof Methods]: (...args: never[]) => unknown };

/** Our end of a thread, which is started when it is first needed, and again after it ended. */
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

  /** What the method gives; rejects with a coded error, also where the thread ended before it answered. */
  async call<Method extends keyof Methods & string>(
    method: Method,
    ...args: Parameters<Methods[Method]>
  ): Promise<Awaited<ReturnType<Methods[Method]>>> {
    const id = ++this.#ids;
    const { result, error } = await new Promise<ThreadAnswer>((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      worker.postMessage({ id, method, args } satisfies ThreadCall); // what cannot be sent is thrown here, and not waited for
      this.#waiting.set(id, { worker, resolve, reject });
      // The process stays while an answer is awaited, and may end in between.
      worker.ref();
    });
    if (error === undefined) return result as Awaited<ReturnType<Methods[Method]>>; // what the method gave in the thread
    throw new CodedError(error.code, error.message, { fix: error.fix });
  }

  /** The answer is not awaited. */
  post<Method extends keyof Methods & string>(method: Method, ...args: Parameters<Methods[Method]>): void {
    (this.#worker ??= this.#start()).postMessage({ id: 0, method, args } satisfies ThreadCall);
  }

  /** Ends the thread, unless it is at work. */
  leave(): void {
    if (this.#waiting.size > 0) return;
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Ends the thread behind a last call. */
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
    // Nothing of the application's own flags (loaders, inspectors, heap sizes) belongs into it.
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
