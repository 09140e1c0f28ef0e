/** Entry point of the thread of a store on a server, which owns the connections and encodes segments as rows. */
import { parentPort, workerData } from 'node:worker_threads';
import type { StoreNewsOrder, StoreSearch, StoreTotalsOrder } from '../../model/profile-store.js';
import { toStoreError } from '../policy/error-codes.js';
import type { RemoteStore } from '../remote/remote-store.js';
import type { ThreadAnswer, ThreadCall } from './thread-caller.js';
import type { ThreadData } from './threaded-store.js';

const { kind, options, ended } = workerData as ThreadData; // passed only by ThreadedStore
let opened: Promise<RemoteStore> | undefined; // the one store of this thread

parentPort?.on('message', (call: ThreadCall) => {
  void answer(call).then((reply) => {
    if (call.id > 0) parentPort?.postMessage(reply);
    else {
      // The process waits for its last write, with its event loop blocked.
      Atomics.store(ended, 0, 1);
      Atomics.notify(ended, 0);
    }
    if (call.method === 'close') parentPort?.unref(); // nothing else keeps the thread alive, so it ends
  });
});

async function answer(call: ThreadCall): Promise<ThreadAnswer> {
  const { id, method } = call;
  try {
    if (method === 'close' && opened === undefined) return { id };
    const store = await (opened ??= open());
    const result: unknown = await run(store, call);
    if (id === 0) await store.leave();
    return { id, result };
  } catch (error) {
    const { code, message, fix } = toStoreError(error, options.name, () => 'PROFILER_STORE_FAILED');
    return { id, error: { code, message, fix } };
  }
}

function run(store: RemoteStore, { method, args }: ThreadCall): unknown {
  if (method === 'follow') return store.follow(() => parentPort?.postMessage({ id: 0 }));
  if (method === 'search' || method === 'totals' || method === 'news') {
    const [order] = args as [StoreSearch & StoreTotalsOrder & StoreNewsOrder]; // sent only by ThreadedStore
    return store.searched<unknown>(order.query.bucket ?? 'app', (search) => search[method](order));
  }
  return Reflect.apply(store[method as keyof RemoteStore], store, args); // one of the remaining methods
}

async function open(): Promise<RemoteStore> {
  try {
    if (kind === 'redis') {
      const { openRedisStore } = await import('../redis/redis-store.js'); // loads its client only if it is used
      return await openRedisStore(options);
    }
    const { openPostgresStore } = await import('../postgres/postgres-store.js');
    return await openPostgresStore(options);
  } catch (error) {
    opened = undefined;
    throw error;
  }
}
