// npm run bench:since              beside the last tag
// npm run bench:since -- v0.1.0    beside a tag or a commit
// Whether a request costs more processor time than it did: this tree and the other one at the same time on one core, with the
// recorder off and with every request recorded to SQLite, in about two minutes. Ends with status 1 where it costs more than
// ten per cent more in two runs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { whyNotSimultaneous } from './harness/pinning.mjs';
import { runPair } from './harness/simultaneous-pairs.mjs';
import { summarisePair } from './harness/summarise-pair.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const servers = ['lookback-off', 'lookback-off-async', 'lookback-sqlite'];
const options = { connections: 32, rounds: 6, warmUpRequests: 15_000, warmUpMs: 30_000, roundMs: 500 };
/** The old processor time of a request, divided by the new one: less than this is ten per cent dearer. */
const leastRatio = 1 / 1.1;

const obstacle = whyNotSimultaneous();
if (obstacle !== undefined) end(`Costs cannot be compared, for ${obstacle}.`, 2);
const ref = process.argv[2] ?? say('git', ['describe', '--tags', '--abbrev=0']);
const commit = ref && say('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
if (!commit) end(ref ? `There is no commit ${ref}.` : 'There is no tag to compare with: name a commit.', 2);

const other = build(commit);
const dearer = [];
for (const name of servers) {
  const ratio = await measure(name);
  // What disturbs both alike may still disturb one of them more: what looks dearer is measured again.
  if (ratio < leastRatio && (await measure(name)) < leastRatio) dearer.push(name);
}
if (dearer.length > 0) end(`More than 10 % dearer than ${ref}: ${dearer.join(', ')}.`, 1);
console.log(`Nothing is more than 10 % dearer than ${ref}.`);

async function measure(name) {
  const fileIn = (folder) => pathToFileURL(join(folder, `bench/servers/${name}.mjs`)).href;
  const { ratio, micros } = summarisePair(await runPair(fileIn(other), fileIn(root), options));
  const [median, least, greatest] = [ratio.median, ratio.least, ratio.greatest].map((one) =>
    (1 / one).toFixed(2),
  );
  console.log(
    `${name}: ${micros.toFixed(1)} µs a request, ${median} times what it was (${greatest} to ${least})`,
  );
  return ratio.median;
}

/** Compiles a commit in a folder of its own, once. */
function build(commit) {
  const folder = join(root, '.cache/since', commit);
  if (existsSync(join(folder, 'dist/bundle/index.js'))) return folder;
  if (!existsSync(folder)) {
    mkdirSync(join(root, '.cache/since'), { recursive: true });
    run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder], root);
    run('git', ['checkout', '--quiet', '--detach', commit], folder);
  }
  const lockIn = (place) => readFileSync(join(place, 'package-lock.json'), 'utf8');
  if (lockIn(folder) !== lockIn(root))
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  else if (!existsSync(join(folder, 'node_modules')))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  run(process.execPath, ['scripts/build.mjs'], folder);
  return folder;
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) end(`"${command} ${args.join(' ')}" failed in ${cwd}.`, 2);
}

/** What a command prints; undefined where it fails. */
function say(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function end(line, status) {
  console.error(line);
  process.exit(status);
}
