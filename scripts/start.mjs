// `npm start`: compiles the project, unless the compiled files are up to date, and serves the demo in this process, so that a
// signal to npm reaches it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isCompiled } from './compiled.mjs';

if (isCompiled(fileURLToPath(new URL('..', import.meta.url))) || compile())
  await import('../dist/demo/main.js');

function compile() {
  console.log('Compiling; this takes 10 to 60 seconds, later starts take two …');
  const build = fileURLToPath(new URL('build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = status ?? 1;
  return status === 0;
}
