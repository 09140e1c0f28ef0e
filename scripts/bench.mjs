<<<<<<< HEAD
// npm run bench:<name> [-- options]: compiles, installs what bench/package.json asks for when it is not there, and runs
// bench/<name>/run.mjs.
=======
// Compiles the project, installs what the bench compares it with where that is missing, and runs the bench.
>>>>>>> dbf42e2 (npm run bench compares the service with node:http and other servers, at the same time and on the same core)
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
<<<<<<< HEAD
const [name, ...options] = process.argv.slice(2);
run(process.execPath, ['scripts/build.mjs']);
if (!existsSync(`${root}bench/node_modules`)) run('npm', ['ci', '--prefix', 'bench']);
run(process.execPath, [`bench/${name}/run.mjs`, ...options]);
=======
run(process.execPath, ['scripts/build.mjs']);
if (!existsSync(`${root}bench/node_modules`))
  run('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund']);
run(process.execPath, ['bench/run.mjs', ...process.argv.slice(2)]);
>>>>>>> dbf42e2 (npm run bench compares the service with node:http and other servers, at the same time and on the same core)

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
