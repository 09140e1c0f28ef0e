import { setTimeout as wait } from 'node:timers/promises';
import { checkRecorded, describe } from './simultaneous-pairs.mjs';
import { startLoad, startServer } from './start-server.mjs';

/** Used where processes cannot be pinned: the two servers take turns, round after round, each with the machine to itself. */
export async function runInterleaved(baselineFile, targetFile, options) {
  const { rounds, warmUpMs, roundMs } = options;
  const servers = [];
  try {
    for (const file of [baselineFile, targetFile]) servers.push(await startServer(file, { isPinned: false }));
    const { connections = options.connections, isIdentical } = servers[1];
    const load = { connections, isIdentical };
    for (const server of servers) await runRound(server, { ms: Math.min(warmUpMs, 10_000) / 2, load });
    const results = [];
    for (let round = 0; round < rounds; round++) {
      const baseline = await runRound(servers[0], { ms: roundMs, load });
      const target = await runRound(servers[1], { ms: roundMs, load });
      results.push({ baseline, target });
    }
    await checkRecorded(servers);
    return { target: describe(servers[1], options), rounds: results };
  } finally {
    await Promise.all(servers.map(({ child }) => child.stop()));
  }
}

async function runRound(server, { ms, load: kind }) {
  const load = await startLoad(server, { isPinned: false, ...kind });
  try {
    await wait(Math.min(200, ms / 4));
    await load.ask('mark');
    await wait(ms);
    return await load.ask('mark');
  } finally {
    await load.stop();
  }
}
