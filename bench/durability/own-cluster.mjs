import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const versions = '/usr/lib/postgresql';

/** A PostgreSQL server for this run, which can be stopped and started; undefined if none is installed (`POSTGRES_BIN` names its folder). */
export async function createCluster() {
  const bin = process.env.POSTGRES_BIN ?? installed();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'lookback-cluster-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid() === 0; // PostgreSQL refuses to run as root
  if (isRoot) spawnSync('chown', ['-R', 'postgres', folder]);
  const run = (program, ...args) => {
    const command = [join(bin, program), ...args];
    const [first, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    const { status, stderr } = spawnSync(first, rest, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
  };
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust');
  const port = await freePort();
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`;
  return {
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: () => run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start'),
    stop: (mode) => run('pg_ctl', '-D', data, '-w', '-m', mode, 'stop'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function installed() {
  const [latest] = existsSync(versions) ? readdirSync(versions).sort((a, b) => b - a) : [];
  return latest === undefined ? undefined : join(versions, latest, 'bin');
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
