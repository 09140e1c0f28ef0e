import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { openStore } from '../../src/profiler/storage/tables/open-store.js';
import { freePort } from '../free-port.js';
import { findPostgres, type StorePostgres } from '../profiler/store-servers.js';
import { until } from '../until.js';
import { checkRecordStore } from './record-store-contract.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-stores-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('records in a SQLite file', () => {
  checkRecordStore((name, options) => openStore(`sqlite:${join(folder, `${name}.db`)}`, options), {
    isShared: true,
  });
});

describe('records in memory', () => {
  checkRecordStore((_, options) => openStore('memory:', options), { isShared: false });
});

describe('records in PostgreSQL', () => {
  let server: StorePostgres;
  before(async () => {
    server = await findPostgres();
  });
  after(() => server.stop());
  checkRecordStore((name, options) => openStore(`${server.address}?schema=${name}`, options), {
    isShared: true,
  });
});

const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0;

describe(
  'records in PostgreSQL behind PgBouncer, which assigns connections per transaction',
  { skip: !hasPooler && 'pgbouncer is not installed' },
  () => {
    let server: StorePostgres;
    let pooler: ChildProcess;
    let address: URL;
    before(async () => {
      server = await findPostgres();
      address = new URL(server.address);
      const port = await freePort();
      pooler = startPooler(address, port);
      address.port = String(port);
      address.hostname = '127.0.0.1';
      await until(() => canConnect(port));
    });
    after(async () => {
      const ended = once(pooler, 'exit');
      pooler.kill();
      await ended;
      await server.stop();
    });
    checkRecordStore((name, options) => openStore(`${address.href}?schema=${name}`, options), {
      isShared: true,
    });
  },
);

/** Starts a pooler in front of a server, for its user only. */
function startPooler({ hostname, port, username, password }: URL, own: number): ChildProcess {
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port === '' ? '5432' : port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
`,
  );
  chmodSync(folder, 0o755);
  chmodSync(file, 0o644);
  // It refuses to run as an administrator.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  return spawn('pgbouncer', [file], { stdio: 'ignore', ...user });
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
