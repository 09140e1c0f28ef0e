// npm run bench, npm run bench:<name> [-- options]: compiles, installs the packages in bench/package.json if they are missing,
// and runs the file for that script.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
run(process.execPath, ['scripts/build.mjs']);
if (!existsSync(`${root}bench/node_modules`))
  run('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund']);
run(process.execPath, process.argv.slice(2));

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
