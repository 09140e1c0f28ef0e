// npm run bench:since              compared with the last tag
// npm run bench:since -- v0.1.0    compared with a tag or a commit
// Measures whether a request costs more CPU time than before: runs both trees simultaneously on one core, with the recorder off and with
// every request recorded to SQLite, in about two minutes. Exits with status 1 if a request costs more than ten per cent more in two runs.
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
/** A request's old CPU time divided by the new one: less than this is more than ten per cent slower. */
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
  // A disturbance of both may still affect one of them more: a slower result is measured again.
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

/** Compiles a commit in a separate folder, once. */
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

/** A command's output; undefined if it fails. */
function say(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function end(line, status) {
  console.error(line);
  process.exit(status);
}
