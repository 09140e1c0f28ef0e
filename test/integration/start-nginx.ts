import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { until } from '../until.js';

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/** Whether nginx is installed (`apt-get install nginx-light`). Tests that need it report what they skip. */
export const hasNginx: boolean = spawnSync('nginx', ['-v'], { env: withSystemFolders() }).status === 0;

/** Starts nginx with these lines in its only server block, on a free port. */
export async function startNginx(server: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-nginx-'));
  mkdirSync(join(folder, 'temp'));
  const port = await freePort();
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; worker_processes 1;
    pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 64; }
    http {
      access_log off;
      ${kinds.map((kind) => `${kind}_temp_path ${folder}/temp/${kind};`).join(' ')}
      server { listen 127.0.0.1:${port}; ${server} }
    }`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    env: withSystemFolders(),
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await until(() => answers(url, child), 'nginx');
  return {
    url,
    async stop() {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
  return fetch(`${url}/`, { redirect: 'manual' }).then(
    () => true,
    () => false,
  );
}

/** Distributions install it in a folder that is only in root's PATH. */
function withSystemFolders(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` };
}
