import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileOf } from '../catalogue.mjs';
import { startServer } from '../harness/start-server.mjs';
import { spreadOf } from '../harness/summarise-pair.mjs';
import { visitorRequests } from '../harness/visitors.mjs';

const servers = ['plain', 'fastify', 'nest', 'lookback-production', 'lookback-off', 'lookback-sqlite'];

/** From the start of the process to the first response, and the memory of a process that has nothing to do. */
export async function measure({ isQuick }) {
  const rows = servers.map((name) => ({ name, title: name, times: [], memory: [] }));
  // In turns, so that whatever else this machine does falls to all of them.
  for (let round = 0; round < (isQuick ? 3 : 15); round++) for (const row of rows) await measureOnce(row);
  return rows.flatMap(({ title, times, memory }) => [
    { name: `start-up to first response, ${title}`, unit: 'ms', spread: spreadOf(times) },
    { name: `idle memory, ${title}`, unit: 'MiB', spread: spreadOf(memory) },
  ]);
}

async function measureOnce(row) {
  const start = performance.now();
  const server = await startServer(fileOf('servers', row.name), { isPinned: false, flags: ['--expose-gc'] });
  row.title = server.title;
  await firstResponse(server);
  row.times.push(performance.now() - start);
  await wait(300);
  row.memory.push((await server.child.ask('memory')).rss / 1024 / 1024);
  await server.child.stop();
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
