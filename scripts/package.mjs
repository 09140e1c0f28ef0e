// `npm run package`: compiles and packs the package, and prints how to install the file.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
console.log('Compiling and packing, which takes up to a minute …');
const shell = process.platform === 'win32';
const packed = spawnSync('npm', ['pack', '--silent'], { cwd: root, shell, stdio: 'inherit' });
if (packed.status === 0) {
  const file = join(root, `${name}-${version}.tgz`);
  const quoted = /^[\w./-]+$/.test(file) ? file : JSON.stringify(file);
  // A Node version without SQLite cannot store records.
  const sqlite = process.getBuiltinModule('node:sqlite')
    ? ''
    : ` @photostructure/sqlite@${devDependencies['@photostructure/sqlite']}`;
  console.log(`
For a new project, in its parent folder:
  npx --package ${quoted} lookback new my-api
  cd my-api && npm install && npm test && npm run dev

In an existing project:
  npm install ${quoted}${sqlite}`);
}
process.exitCode = packed.status ?? 1;
