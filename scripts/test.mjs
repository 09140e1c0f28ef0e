// Compiles the project and runs the compiled tests, each file or group of small files in its own process of Node's test runner.
//   npm test                     every test
//   npm test -- routing http     only files whose path contains one of the words
//   npm test -- --without=test/docs,test/e2e      all others
//   npm test -- --no-build       the files as compiled (bundled again if the bundle is older)
//   npm test -- --measure        every test, and writes each duration to test/durations.json, which orders later runs
//   PROPERTY_SEED=random npm test      property tests draw new cases (otherwise always the same)
// Three or four processes run in parallel, longest first (test/durations.json), because each waits now and then, plus one that mostly waits
// for a database, a browser or a clock. Unit tests run while the bundle is created, because they do not load it. Failures are repeated at
// the very end, because logs are cut at the top. With TEST_AGAIN=1, as in CI, up to three processes with failed tests run again, alone.
// Tests that then pass do not fail the run, and are listed as unstable: on a busy machine, that says more about the test than about the
// code.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const [, without = ''] =
  /^--without=(.*)$/.exec(flags.find((flag) => flag.startsWith('--without=')) ?? '') ?? [];
const left = without.split(',').filter((word) => word !== '');
const nodeFlags = flags.filter((flag) => !/^--(?:no-build$|measure$|without=)/.test(flag));
// A test that hangs fails, instead of being waited for indefinitely; a failed test often leaves something open.
const maxSilenceMs = 300_000;
const maxSilenceAfterFailureMs = 60_000;
const maxReasonLines = 40;
const { together, apart, waiting } = JSON.parse(
  readFileSync(join(root, 'test/groups.json'), 'utf8'),
  (_, value) => (typeof value === 'string' ? value.split(' ') : value),
);
/** Seconds per process, as measured by `--measure`. */
const durationsFile = join(root, 'test/durations.json');
const durations = JSON.parse(readFileSync(durationsFile, 'utf8'));
const measured = {};
const isMeasured = flags.includes('--measure');
if (isMeasured && (words.length > 0 || left.length > 0)) {
  console.error('--measure takes no words: file groups are measured as a whole.');
  process.exit(1);
}

const isBuilt = flags.includes('--no-build');
if (!isBuilt) compile();
let isBundled = isBuilt && newest('dist/src') <= newest('dist/bundle');
const files = [...testFiles('dist')]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .filter((file) => !left.some((word) => file.includes(word)))
  .toSorted((a, b) => (a < b ? -1 : 1));
if (files.length === 0) {
  console.error(`No test file matches ${words.join(', ') || 'dist/**/*.test.js'}.`);
  process.exit(1);
}
/** Specific to this run, also for resources shared by test files: another run may be under way in the same tree. */
const runFolder = join(root, `dist/test-runs/${process.pid}`);
mkdirSync(runFolder, { recursive: true });
const children = new Set();
const bundled = isBundled ? undefined : bundle();
const postgres = files.filter(asksForPostgres).length > 1 ? sharePostgres() : undefined;
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(runFolder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end(1));

const began = performance.now();
const counts = new Map(
  ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'].map((name) => [name, 0]),
);
const failures = [];
const unstable = [];
const failedOnce = [];
const maxRunAgain = process.env.TEST_AGAIN === '1' ? 3 : 0;
const skips = new Set();
const [busy, idle] = planned(inGroups(files));
// Test files use an existing service one after another, because each may look at the latest request.
const isService = process.env.BASE_URL !== undefined;
const slots = isService ? 1 : Math.max(3, Math.min(4, availableParallelism()));
await Promise.all([
  ...Array.from({ length: slots }, () => work([busy, idle])),
  ...(isService ? [] : [work([idle])]),
]);
await runAgain();
summarize();
if (isMeasured) writeDurations();
await end(failures.length === 0 ? 0 : 1);

function compile() {
  const script = ['scripts/build.mjs', '--unbundled'];
  const built = spawnSync(process.execPath, script, { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) process.exit(built.status ?? 1);
}

async function bundle() {
  const child = spawn(process.execPath, ['--max-semi-space-size=64', 'scripts/bundle.mjs'], {
    cwd: root,
    stdio: 'inherit',
  });
  children.add(child);
  const [code] = await once(child, 'exit');
  children.delete(child);
  if (code !== 0) await end(1);
  isBundled = true;
}

function asksForPostgres(file) {
  return /\b(?:start|find)Postgres\(/.test(readFileSync(join(root, file), 'utf8'));
}

/** Starts one PostgreSQL server for the files that need it; if it does not start, each of them tries and reports why. */
async function sharePostgres() {
  try {
    const { startPostgres } = await import('../dist/test/persistence/start-postgres.js');
    return await startPostgres();
  } catch {
    return undefined;
  }
}

async function end(code) {
  await (await postgres)?.stop();
  process.exit(code);
}

/** When a script below a folder was last written; 0 if there is none, as after a run that ended before creating its bundle. */
function newest(folder) {
  if (!existsSync(join(root, folder))) return 0;
  const names = readdirSync(join(root, folder), { recursive: true }).filter((name) =>
    /(?<!\.test)\.js$/.test(name),
  );
  return Math.max(0, ...names.map((name) => statSync(join(root, folder, name)).mtimeMs));
}

function testFiles(folder) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith('.test.js') && hasSource(name.slice(0, -'.js'.length)))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

/** Only a build removes the compiled form of a deleted file. */
function hasSource(stem) {
  return ['.ts', '.tsx'].some((ending) => existsSync(join(root, stem + ending)));
}

/**
 * Runs a module's unit tests in one process, those of small modules together, and likewise small files in `test/`: starting a
 * process and loading the package takes longer than most of them run.
 */
function inGroups(all) {
  const groups = new Map();
  for (const file of all) {
    const name = groupOf(file);
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return [...groups].map(([name, members]) => {
    const needs = { bundle: !members[0].startsWith('dist/src/'), postgres: members.some(asksForPostgres) };
    if (members.length === 1) return { name: members[0].slice('dist/'.length), path: members[0], needs };
    const path = join(runFolder, `${name.replaceAll('/', '-')}.mjs`);
    writeFileSync(path, members.map((file) => `import '../../../${file}';\n`).join(''));
    return { name: `${name} (${members.length} files)`, path: relative(root, path), needs };
  });
}

function groupOf(file) {
  const [, part, module = ''] = /^dist\/(src\/[^/]+)(\/[^/]+)?\//.exec(file) ?? [];
  if (part !== undefined) {
    const own = file.replace(/^dist\/|\.test\.js$/g, '');
    return [own, `${part}${module}`, part].find((name) => apart.includes(name)) ?? 'small-modules';
  }
  const name = nameOf(file);
  return Object.keys(together).find((group) => together[group].includes(name)) ?? file;
}

function nameOf(path) {
  return path.replace(/^(?:dist\/)?test\//, '').replace(/\.test\.js$/, '');
}

/** Sorts computing and waiting processes, longest first; unmeasured ones come last. */
function planned(runs) {
  const secondsOf = (run) => durations[plainName(run)] ?? 0;
  const sorted = runs.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  const waits = (run) => waiting.includes(plainName(run));
  return [sorted.filter((run) => !waits(run)), sorted.filter(waits)];
}

/** A process's name in the tables of durations and groups. */
function plainName({ name }) {
  return nameOf(name.replace(/ \(.*/, ''));
}

function writeDurations() {
  const sorted = Object.entries(measured).toSorted(([, a], [, b]) => b - a);
  writeFileSync(durationsFile, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

async function work(queues) {
  for (;;) {
    const next = takeNext(queues);
    if (next === undefined) {
      if (queues.every((queue) => queue.length === 0)) return;
      await bundled;
      continue;
    }
    const result = await run(next);
    if (maxRunAgain > 0 && whyFailed(next, result).length > 0) {
      failedOnce.push({ test: next, result });
      console.log(`… ${next.name} failed after ${seconds(result.ms)}`);
    } else report(next, result);
  }
}

/** Takes the first process that can run now. */
function takeNext(queues) {
  for (const queue of queues) {
    const at = queue.findIndex(({ needs }) => isBundled || !needs.bundle);
    if (at !== -1) return queue.splice(at, 1)[0];
  }
  return undefined;
}

/** Runs failed processes again, alone; if many failed, the code is at fault, and nothing is run again. */
async function runAgain() {
  for (const { test, result } of failedOnce) {
    const second = failedOnce.length > maxRunAgain ? result : await run(test);
    if (second !== result && whyFailed(test, second).length === 0) unstable.push(...whyFailed(test, result));
    report(test, second);
  }
}

async function run({ name, path, needs }) {
  const server = needs.postgres ? await postgres : undefined;
  const started = performance.now();
  const begun = Date.now();
  const events = join(runFolder, `${name.replaceAll(/\W+/g, '-')}.jsonl`);
  rmSync(events, { force: true }); // from an earlier turn
  const child = spawn(
    process.execPath,
    [
      '--enable-source-maps',
      '--import=./scripts/property-seed.mjs',
      '--no-warnings=ExperimentalWarning',
      '--test-reporter=./scripts/test-reporter.mjs',
      '--test-reporter-destination=stdout',
      ...nodeFlags,
      path,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        APP_ENV: 'test',
        TEST_RUN_FOLDER: runFolder,
        TEST_EVENTS: events,
        ...(server === undefined ? {} : { TEST_POSTGRES_PORT: String(server.port) }),
      },
    },
  );
  children.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-20_000)));
  const timer = setInterval(() => {
    const hasFailed = read(events).some(({ why }) => why !== undefined);
    const silence = Date.now() - (statSync(events, { throwIfNoEntry: false })?.mtimeMs ?? begun);
    if (silence > (hasFailed ? maxSilenceAfterFailureMs : maxSilenceMs)) child.kill('SIGKILL');
  }, 5000);
  return new Promise((done) => {
    child.once('exit', (code, signal) => {
      clearInterval(timer);
      children.delete(child);
      // Its child processes may keep its output open.
      setImmediate(() => done({ code, signal, said, found: read(events), ms: performance.now() - started }));
    });
  });
}

function read(events) {
  try {
    const lines = readFileSync(events, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line));
  } catch {
    return []; // it ended before its first event
  }
}

/** A process's failures, each with its title and reason. */
function whyFailed({ name }, { code, signal, said, found, ms }) {
  const own = found
    .filter(({ why }) => why !== undefined)
    .map(({ title, file, why }) => ({ title: `${placeOf(file) ?? name}: ${title}`, why }));
  const hasEnded = found.some(({ outcome }) => outcome === 'end');
  if (own.length > 0 || (code === 0 && hasEnded)) return own;
  const end =
    signal === null ? `exited with code ${code} before running its tests` : `was killed by ${signal}`;
  return [
    { title: `${name}: the process ${end}, after ${seconds(ms)}`, why: said.trim(), isOfProcess: true },
  ];
}

/** Counts a process's results, and prints a line for it; for a failure also the reason and the output. */
function report(test, result) {
  const { said, found, ms } = result;
  const of = (outcome) => found.filter((event) => event.outcome === outcome).length;
  for (const outcome of counts.keys()) counts.set(outcome, counts.get(outcome) + of(outcome));
  counts.set('suites', counts.get('suites') + of('failed suite'));
  const tests = found.filter(({ outcome }) => !/suite|end/.test(outcome)).length;
  counts.set('tests', counts.get('tests') + tests);
  measured[plainName(test)] = Number((ms / 1000).toFixed(1));
  for (const { skip } of found) if (skip !== undefined) skips.add(skip);
  const own = whyFailed(test, result);
  counts.set('fail', counts.get('fail') + own.filter(({ isOfProcess }) => isOfProcess).length);
  failures.push(...own);
  console.log(`${own.length === 0 ? '✔' : '✖'} ${test.name}: ${tests} tests, ${seconds(ms)}`);
  for (const { title, why } of own) console.log(`  ✖ ${title}\n${indent(why, maxReasonLines)}`);
  if (own.length > 0 && said.trim() !== '')
    console.log(`  printed:\n${indent(said.trim().split('\n').slice(-40).join('\n'), 40)}`);
}

function placeOf(file) {
  return file === undefined
    ? undefined
    : relative(root, file)
        .replaceAll('\\', '/')
        .replace(/^dist\//, '');
}

function indent(text, maxLines) {
  const lines = text.split('\n');
  const cut =
    lines.length > maxLines
      ? [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more lines`]
      : lines;
  return cut.map((line) => `    ${line}`).join('\n');
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The closing summary of Node's runner, then skipped tests and, last, failures. */
function summarize() {
  console.log();
  for (const [name, count] of counts) console.log(`ℹ ${name} ${count}`);
  console.log(`ℹ duration_ms ${Math.round(performance.now() - began)}`);
  for (const reason of skips) console.log(`﹣ skipped: ${reason}`);
  listFailed('⚠ failed in parallel, passed alone:', unstable, process.env.TEST_UNSTABLE);
  listFailed('✖ failing tests:', failures, process.env.TEST_FAILURES);
}

function listFailed(heading, failed, file) {
  if (failed.length === 0) return;
  const text = failed.map(({ title, why }) => `✖ ${title}\n${indent(why, 4)}`).join('\n');
  console.log(`\n${heading}\n\n${text}`);
  if (file !== undefined) appendFileSync(file, `${text}\n`);
}
