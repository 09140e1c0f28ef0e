import type { Redis } from 'ioredis';
import { storeErrors, type StoreProblem, toStoreError } from '../policy/error-codes.js';
import type { RemoteOptions } from '../remote/remote-store.js';
import type { Reply } from './redis-reply.js';

/** Milliseconds: timeouts for connecting and for a reply, and the maximum pause between connection attempts. */
const timeoutsMs = { connection: 2000, answer: 5000, pause: 1000 };
const defaultPrefix = 'lookback';

/** Runs scripts and commands. All keys have the same prefix. Throws coded errors. */
export class RedisConnection {
  readonly #redis: Redis;
  readonly #name: string;
  #listening: Redis | undefined;
  /** Prefix of all keys, by default `{lookback}:`. */
  readonly prefix: string;

  constructor(Driver: typeof Redis, { address, name }: Pick<RemoteOptions, 'address' | 'name'>) {
    const url = new URL(address);
    this.#name = name;
    this.prefix = `{${url.searchParams.get('prefix') ?? defaultPrefix}}:`;
    url.searchParams.delete('prefix');
    this.#redis = new Driver(url.href.replace(/^valkey/, 'redis'), {
      connectTimeout: timeoutsMs.connection,
      commandTimeout: timeoutsMs.answer,
      maxRetriesPerRequest: 0,
      retryStrategy: (times: number) => Math.min(times * 50, timeoutsMs.pause),
      connectionName: 'lookback',
    });
    this.#redis.on('error', () => undefined); // each failed command rejects
  }

  run(script: string, ...args: readonly (string | number | Uint8Array)[]): Promise<Reply> {
    return this.call('EVAL', script, 1, this.prefix, ...args);
  }

  async call(command: string, ...args: readonly (string | number | Uint8Array)[]): Promise<Reply> {
    try {
      const bytes = args.map((arg) => (arg instanceof Uint8Array ? Buffer.from(arg) : arg));
      return (await this.#redis.callBuffer(command, ...bytes)) as Reply; // any in the client's type
    } catch (error) {
      throw toStoreError(error, this.#name, problemOf);
    }
  }

  /** Calls `wake` for each message of a channel and after each reconnection. Uses its own connection. */
  async subscribe(channel: string, wake: () => void): Promise<void> {
    if (this.#listening !== undefined) return;
    const listening = (this.#listening = this.#redis.duplicate({ commandTimeout: undefined }));
    listening.on('error', () => undefined);
    listening.on('message', wake);
    listening.on('ready', wake);
    await listening.subscribe(this.prefix + channel).catch(() => undefined); // repeated by the client with each connection
  }

  unsubscribe(): void {
    this.#listening?.disconnect();
    this.#listening = undefined;
  }

  close(): void {
    this.unsubscribe();
    this.#redis.disconnect();
  }
}

/** Loads the client. Throws `PROFILER_STORE_CLIENT`. */
export async function loadRedis(): Promise<typeof Redis> {
  try {
    return (await import('ioredis')).Redis;
  } catch (error) {
    throw storeErrors.create('PROFILER_STORE_CLIENT', { name: 'ioredis' }, { cause: error });
  }
}

function problemOf(error: unknown, reason: string): StoreProblem {
  if (/\bOOM\b|MISCONF/.test(reason)) return 'PROFILER_STORE_FULL';
  if (/READONLY/.test(reason)) return 'PROFILER_STORE_READ_ONLY';
  if (/NOAUTH|WRONGPASS|NOPERM/.test(reason)) return 'PROFILER_STORE_REFUSED';
  const isReply = error instanceof Error && error.name === 'ReplyError';
  return isReply && !/LOADING|CLUSTERDOWN|TRYAGAIN/.test(reason)
    ? 'PROFILER_STORE_FAILED'
    : 'PROFILER_STORE_AWAY';
}
