import { applicationBaseline, baseline, fileOf } from './catalogue.mjs';
import { runInterleaved } from './harness/interleaved-rounds.mjs';
import { runPair } from './harness/simultaneous-pairs.mjs';
import { normalise, summarisePair } from './harness/summarise-pair.mjs';

const connections = 32;
// Only warm servers are measured; the time limit is for servers that do not respond.
const quick = { rounds: 6, warmUpRequests: 15_000, warmUpMs: 60_000, roundMs: 400 };
const whole = { rounds: 8, warmUpRequests: 60_000, warmUpMs: 120_000, roundMs: 1000 };

/**
 * Compares each server with a baseline, and the baseline with itself as the control, by which all ratios are divided. `files` has the files
 * of servers outside `bench/servers`.
 */
export async function measureServers(names, { base = baseline, isQuick, isSimultaneous, files, say }) {
  const options = { connections, ...(isQuick ? quick : whole) };
  // A request to an application takes as long as dozens of the others, and its code is compiled only after many requests.
  if (base === applicationBaseline) Object.assign(options, { warmUpRequests: 6000, roundMs: 1000 });
  const run = isSimultaneous ? runPair : runInterleaved;
  const baseFile = fileOf('servers', base);
  const pair = async (file) => summarisePair(await run(baseFile, file, options));

  say(`control (${base})`);
  const measured = await pair(baseFile);
  const control = { name: 'control', ...measured, title: `${measured.title} again (control)` };
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
