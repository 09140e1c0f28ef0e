/** The thread of a store on a server: it has the connections, and makes rows of segments. */
import { parentPort, workerData } from 'node:worker_threads';
import { isCodedError } from '#coded-error';
import { storeErrors } from '../policy/error-codes.js';
import type { RemoteStore } from '../remote/remote-store.js';
import type { ThreadCall, ThreadData, ThreadReply } from './thread-message.js';

const { kind, options, ended } = workerData as ThreadData; // given by ThreadedStore alone
let opened: Promise<RemoteStore> | undefined; // the one store of this thread

parentPort?.on('message', (call: ThreadCall & { readonly id: number }) => {
  void answer(call).then((reply) => {
    parentPort?.postMessage(reply);
    if (call.isLast === true) {
      Atomics.store(ended, 0, 1);
      Atomics.notify(ended, 0);
    }
    if (call.method === 'close') parentPort?.unref(); // nothing else keeps the thread, which ends then
  });
});

async function answer({
  id,
  method,
  args,
  isLast = false,
}: ThreadCall & { readonly id: number }): Promise<ThreadReply> {
  try {
    if (method === 'close' && opened === undefined) return { id };
    const store = await (opened ??= open());
    if (method === 'follow') {
      await store.follow(() => parentPort?.postMessage({ id: 0 } satisfies ThreadReply));
      return { id };
    }
    const call = store[method].bind(store) as (...given: readonly unknown[]) => Promise<unknown>; // `args` are those of the method
    const result = await call(...args);
    if (isLast) await store.leave();
    return { id, result };
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
    const failure = isCodedError(error)
      ? error
      : storeErrors.create('PROFILER_STORE_FAILED', { path: options.name, reason });
    return { id, error: { code: failure.code, message: failure.message, fix: failure.fix } };
  }
}

async function open(): Promise<RemoteStore> {
  try {
    if (kind === 'redis') {
      const { openRedisStore } = await import('../redis/redis-store.js'); // each loads its client
      return await openRedisStore(options);
    }
    const { openPostgresStore } = await import('../postgres/postgres-store.js');
    return await openPostgresStore(options);
  } catch (error) {
    opened = undefined;
    throw error;
  }
}
