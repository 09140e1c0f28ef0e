import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileOf } from '../catalogue.mjs';
import { startServer } from '../harness/start-server.mjs';
import { spreadOf } from '../harness/summarise-pair.mjs';
import { visitorRequests } from '../harness/visitors.mjs';

const servers = ['plain', 'fastify', 'nest', 'lookback-off', 'lookback-sqlite'];

/** From the start of the process to the first response, and the memory of a process that has nothing to do. */
export async function measure({ isQuick }) {
  const results = [];
  for (const name of servers) {
    const [times, memory] = [[], []];
    let title = name;
    for (let round = 0; round < (isQuick ? 3 : 7); round++) {
      const start = performance.now();
      const server = await startServer(fileOf('servers', name), { isPinned: false, flags: ['--expose-gc'] });
      title = server.title;
      await firstResponse(server);
      times.push(performance.now() - start);
      await wait(300);
      memory.push((await server.child.ask('memory')).rss / 1024 / 1024);
      await server.child.stop();
    }
    results.push({ name: `start-up to first response, ${title}`, unit: 'ms', spread: spreadOf(times) });
    results.push({ name: `idle memory, ${title}`, unit: 'MiB', spread: spreadOf(memory) });
  }
  return results;
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
