import { setTimeout as wait } from 'node:timers/promises';
import { startLoad, startServer } from './start-server.mjs';

/**
 * Runs the baseline and a target simultaneously on one core, each under its own load from another core. Other activity affects both
 * equally, and CPU time per request does not depend on when each of them had the core. Returns the rounds, each with both servers' figures.
 */
export async function runPair(baselineFile, targetFile, options) {
  const { rounds, roundMs } = options;
  const servers = [];
  const loads = [];
  try {
    for (const file of [baselineFile, targetFile]) servers.push(await startServer(file, { isPinned: true }));
    const connections = servers[1].connections ?? options.connections;
    const load = { isPinned: true, connections, isIdentical: servers[1].isIdentical };
    for (const server of servers) loads.push(await startLoad(server, load));
    await warmUp(loads, options);
    for (const server of servers) server.spread(); // the first request starts some threads
    const results = [];
    for (let round = 0; round < rounds; round++) {
      await wait(roundMs);
      results.push(await markAll(loads));
    }
    await checkRecorded(servers);
    return { target: describe(servers[1], options), rounds: results };
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    await Promise.all(servers.map(({ child }) => child.stop()));
  }
}

/** Runs until both have answered enough requests for V8 to have compiled their code, within the options' time limit. */
async function warmUp(loads, { warmUpRequests, warmUpMs }) {
  const end = performance.now() + warmUpMs;
  let fewest = 0;
  while (fewest < warmUpRequests && performance.now() < end) {
    await wait(250);
    const { baseline, target } = await markAll(loads);
    fewest += Math.min(baseline.requests, target.requests);
  }
}

async function markAll(loads) {
  const [baseline, target] = await Promise.all(loads.map((load) => load.ask('mark')));
  return { baseline, target };
}

/** The table's description of a server, and of its load. */
export function describe({ title, cores, path, status, connections, isIdentical }, options) {
  return {
    title,
    cores: cores ?? 1,
    path,
    status,
    connections: connections ?? options.connections,
    load: isIdentical ? 'one request repeated' : '512 visitors',
  };
}

/** Throws if a server that should record or export did neither. */
export async function checkRecorded(servers) {
  for (const { title, records, child } of servers)
    if (records && !((await child.ask('recorded')) > 0)) throw new Error(`Nothing was recorded: ${title}.`);
}
