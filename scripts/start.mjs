// `npm start`: compiles the project and serves the demo in this very process, so that a signal to npm reaches it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('build.mjs', import.meta.url));
const built = spawnSync(process.execPath, [build], { stdio: 'inherit' });
if (built.status === 0) await import('../dist/demo/main.js');
else process.exitCode = built.status ?? 1;
