import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fileOf } from '../catalogue.mjs';
import { readCpuTime } from '../harness/schedstat.mjs';
import { startServer } from '../harness/start-server.mjs';
import { spreadOf } from '../harness/summarise-pair.mjs';
import { visitorRequests } from '../harness/visitors.mjs';

const servers = ['plain', 'fastify', 'nest', 'lookback-production', 'lookback-off', 'lookback-sqlite'];
const imports = { fastify: 'fastify', lookback: new URL('../../dist/bundle/index.js', import.meta.url).href };

/** From process start to the first response, and the memory of an idle process. */
export async function measure({ isQuick }) {
  const rows = servers.map((name) => ({ name, title: name, times: [], cpu: [], memory: [] }));
  const imported = { fastify: [], lookback: [] };
  // They take turns, so that other activity on this machine affects all of them.
  for (let round = 0; round < (isQuick ? 3 : 15); round++) {
    for (const row of rows) await measureOnce(row);
    for (const [name, from] of Object.entries(imports)) imported[name].push(importTime(from));
  }
  const fastify = rows.find(({ name }) => name === 'fastify');
  return [
    ...rows.flatMap(({ title, times, cpu, memory }) => [
      { name: `start-up to first response, ${title}`, unit: 'ms', spread: spreadOf(times) },
      ...(cpu.length < times.length
        ? []
        : [
            {
              name: `its CPU time compared with Fastify, ${title}`,
              unit: '×',
              spread: ratios(cpu, fastify.cpu),
            },
          ]),
      { name: `idle memory, ${title}`, unit: 'MiB', spread: spreadOf(memory) },
    ]),
    {
      name: 'CPU time of the import compared with Fastify, lookback',
      unit: '×',
      spread: ratios(imported.lookback, imported.fastify),
    },
  ];
}

/** Ratios of measurements taken one after the other. */
function ratios(times, others) {
  return spreadOf(times.map((time, at) => time / others[at]));
}

async function measureOnce(row) {
  const start = performance.now();
  const server = await startServer(fileOf('servers', row.name), { isPinned: false, flags: ['--expose-gc'] });
  row.title = server.title;
  await firstResponse(server);
  row.times.push(performance.now() - start);
  const used = readCpuTime(server.pid);
  if (used !== undefined) row.cpu.push(used.all);
  await wait(300);
  row.memory.push((await server.child.ask('memory')).rss / 1024 / 1024);
  await server.child.stop();
}

/** Milliseconds of CPU time. */
function importTime(from) {
  const program = `const before = process.cpuUsage(); await import('${from}'); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd,
    encoding: 'utf8',
  });
  return Number(stdout);
}

function firstResponse({ port, path }) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(visitorRequests({ path, port, isIdentical: true })[0]),
    );
    socket.once('error', reject);
    socket.once('data', () => {
      socket.destroy();
      resolve();
    });
  });
}
