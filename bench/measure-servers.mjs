import { baseline, fileOf } from './catalogue.mjs';
import { runInterleaved } from './harness/interleaved-rounds.mjs';
import { runPair } from './harness/simultaneous-pairs.mjs';
import { normalise, summarisePair } from './harness/summarise-pair.mjs';

const connections = 32;

/** Compares each server with the baseline, and the baseline with itself as the control that all are divided by. */
export async function measureServers(names, { isQuick, isSimultaneous, files, say }) {
  const options = isQuick
    ? { connections, rounds: 6, warmUpRequests: 15_000, warmUpMs: 5000, roundMs: 400 }
    : { connections, rounds: 8, warmUpRequests: 60_000, warmUpMs: 10_000, roundMs: 1000 };
  const run = isSimultaneous ? runPair : runInterleaved;
  const base = fileOf('servers', baseline);
  const pair = async (file) => summarisePair(await run(base, file, options));

  say('control');
  const control = { name: 'control', ...(await pair(base)), title: 'node:http again (control)' };
  const results = [];
  for (const name of names) {
    say(name);
    try {
      const result = await pair(files.get(name) ?? fileOf('servers', name));
      results.push(normalise({ name, ...result }, control));
    } catch (error) {
      say(`${name} could not be measured: ${error.message}`);
    }
  }
  const byRatio = (a, b) => b.ratio.median - a.ratio.median;
  return { options, control, results: results.sort(byRatio) };
}
