// Compiles the project and runs the compiled tests with Node's own test runner.
//   npm test                     every test
//   npm test -- routing http     only files whose path contains one of the words
//   PROPERTY_SEED=random npm test      property tests draw new cases (else always the same)
// Node 20's runner takes no globs, so the files are found here.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));

if (!flags.includes('--no-build')) {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) process.exit(built.status ?? 1);
}

const files = [...testFiles(join(root, 'dist'))]
  .map((file) => relative(root, file))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((a, b) => (a < b ? -1 : 1));
if (files.length === 0) {
  console.error(`No test file matches ${words.join(', ') || 'dist/**/*.test.js'}.`);
  process.exit(1);
}
/** Of this run, also for what test files share: another run may be under way in the same tree. */
const unitTests = join(root, `dist/unit-tests/${process.pid}`);
const run = spawnSync(
  process.execPath,
  [
    '--enable-source-maps',
    '--import=./scripts/property-seed.mjs',
    '--no-warnings=ExperimentalWarning',
    '--test',
    // A service that is there already is asked by one file after another: each may look at the latest request.
    `--test-concurrency=${process.env.BASE_URL === undefined ? 2 : 1}`,
    '--test-timeout=600000', // what hangs fails, rather than being waited for without end
    '--test-reporter=spec',
    ...flags.filter((flag) => flag !== '--no-build'),
    ...inGroups(files),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, APP_ENV: 'test', TEST_RUN_FOLDER: unitTests } },
);
rmSync(unitTests, { recursive: true, force: true });
process.exit(run.status ?? 1);

function* testFiles(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* testFiles(path);
    else if (name.endsWith('.test.js')) yield path;
  }
}

/**
 * Unit tests of one room in one process: starting a process and loading the house takes longer than most of them run.
 * All others start servers and have a process each.
 */
function inGroups(all) {
  mkdirSync(unitTests, { recursive: true });
  const groups = new Map();
  const others = [];
  for (const file of all) {
    const [, room] = /^dist\/src\/((?:profiler\/)?[^/]+)\//.exec(file.replaceAll('\\', '/')) ?? [];
    if (room === undefined) others.push(file);
    else groups.set(room, [...(groups.get(room) ?? []), file]);
  }
  const made = [...groups].map(([room, files]) => {
    const path = join(unitTests, `${room.replaceAll('/', '-')}.mjs`);
    const lines = files.map((file) => `import '../../../${file.replaceAll('\\', '/')}';\n`);
    writeFileSync(path, lines.join(''));
    return relative(root, path);
  });
  return [...made, ...others];
}
