import { Worker } from 'node:worker_threads';
import { CodedError } from '#coded-error';
import { storeErrors } from '../policy/error-codes.js';

/** A coded error on its way between threads. */
export interface SentError {
  readonly code: string;
  readonly message: string;
  readonly fix: string | undefined;
}

export interface ThreadAnswer {
  /** That of the question; 0 for a message that the thread sends unasked. */
  readonly id: number;
  readonly error?: SentError;
}

interface ThreadOptions<Answer> {
  readonly file: URL;
  /** Of the store, for errors. */
  readonly name: string;
  /** Called with each start: what the thread is given, and what is to be done when it ended. */
  readonly start: () => { readonly data: unknown; readonly ended: () => void };
  /** Called with messages that the thread sends unasked. */
  readonly notified?: (answer: Answer) => void;
}

interface Waiting<Answer> {
  readonly worker: Worker;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Our end of a thread, which is started when it is first needed, and again after it ended. */
export class ThreadCaller<Question extends object, Answer extends ThreadAnswer> {
  readonly #options: ThreadOptions<Answer>;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #worker: Worker | undefined;
  #ids = 0;

  constructor(options: ThreadOptions<Answer>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Rejects with a coded error, also where the thread ended before it answered. */
  async ask(question: Question): Promise<Answer> {
    const id = ++this.#ids;
    const answer = await new Promise<Answer>((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      worker.postMessage({ ...question, id }); // what cannot be sent is thrown here, and not waited for
      this.#waiting.set(id, { worker, resolve, reject });
      // The process stays while an answer is awaited, and may end in between.
      worker.ref();
    });
    if (answer.error === undefined) return answer;
    const { code, message, fix } = answer.error;
    throw new CodedError(code, message, { fix });
  }

  /** The answer is not awaited. */
  post(message: Question): void {
    (this.#worker ??= this.#start()).postMessage({ ...message, id: 0 });
  }

  /** Ends the thread, unless it is at work. */
  leave(): void {
    if (this.#waiting.size > 0) return;
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  async close(last: Question): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    try {
      await this.ask(last);
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
    worker.on('message', (answer: Answer) => {
      if (answer.id === 0) notified?.(answer);
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
