// npm run bench:durability                      whether records survive killed processes and failed stores
// npm run bench:durability -- kills --count 36  checks with one of the words in their name; number of kills or rounds
// `chrt -r 10 node bench/durability/run.mjs` after a build: its processes have priority on a busy machine.
// Checks each claim with real processes and a real PostgreSQL (a separate one for restarts), and prints a verdict.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openElsewhere } from './fleet.mjs';
import { kill } from './kills.mjs';
import { fillDisk, hang, mountDisk, outlive } from './outages.mjs';
import { createCluster } from './own-cluster.mjs';

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '36' },
    rounds: { type: 'string', default: '100' },
    requests: { type: 'string', default: '60000' },
  },
});
const [count, rounds, requests] = [values.count, values.rounds, values.requests].map(Number);
const folder = mkdtempSync(join(tmpdir(), 'lookback-durability-'));
const cluster = await createCluster();
cluster?.start();

const claims = {
  'kills, SQLite': () => kill(sqlite('killed'), count),
  'kills, PostgreSQL': () => kill(postgres('killed'), count),
  'fleet, SQLite': () => openElsewhere(sqlite('fleet'), { rounds }),
  'fleet, PostgreSQL': () => openElsewhere(postgres('fleet'), { rounds }),
  'fleet, SQLite, under 4 × 50 requests per second': () =>
    openElsewhere(sqlite('busy'), { rounds, perSecond: 50 }),
  'fleet, PostgreSQL, under 4 × 50 requests per second': () =>
    openElsewhere(postgres('busy'), { rounds, perSecond: 50 }),
  'hanging PostgreSQL': () => hang({ requests, working: sqlite('working') }),
  'restart of PostgreSQL, fast': () => restart('fast', { lossMs: 0 }),
  'restart of PostgreSQL, immediate': () => restart('immediate', { lossMs: 1000 }),
  'full disk': fullDisk,
};

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    removeAll();
    process.exit(1);
  });

let failures = 0;
for (const [name, prove] of Object.entries(claims)) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  if (cluster === undefined && name.includes('PostgreSQL,')) {
    console.log(`skipped   ${name}: PostgreSQL is not installed`);
    continue;
  }
  const { isProven, text } = await prove().catch((error) => ({ isProven: false, text: String(error) }));
  if (!isProven) failures++;
  console.log(`${isProven ? 'proven   ' : 'DISPROVEN'} ${name} (load ${loadavg()[0].toFixed(1)}): ${text}`);
}
removeAll();
process.exitCode = failures === 0 ? 0 : 1;

function removeAll() {
  cluster?.stop('immediate');
  cluster?.remove();
  rmSync(folder, { recursive: true, force: true });
}

function sqlite(name) {
  return `sqlite:${join(folder, `${name}.db`)}`;
}

function postgres(schema) {
  return `${cluster.address}?schema=${schema}`;
}

function restart(mode, { lossMs }) {
  const harm = async () => {
    cluster.stop(mode);
    await wait(3000);
    cluster.start();
  };
  return outlive(postgres(`restart_${mode}`), { harm, lossMs });
}

async function fullDisk() {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  if (!mountDisk(disk, '24m')) throw new Error('cannot mount a small disk');
  try {
    return await outlive(`sqlite:${join(disk, 'profiler.db')}`, { harm: () => fillDisk(disk, { ms: 3000 }) });
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
}
