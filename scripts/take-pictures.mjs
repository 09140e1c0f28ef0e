// Retakes the README's screenshots: serves the demo on a free port and requests some pages. npm run build && node scripts/take-pictures.mjs
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { launchBrowser } = await import('../dist/test/e2e/launch-browser.js');
const demo = spawn(process.execPath, ['--enable-source-maps', 'dist/demo/main.js'], {
  env: { ...process.env, PORT: '0', PROFILER_STORE: 'memory:' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await launchBrowser();
try {
  const origin = await new Promise((resolve, reject) => {
    demo.once('exit', () => reject(new Error('The demo did not start.')));
    demo.stdout.on('data', (text) => {
      const found = /http:\/\/[\d.]+:\d+/.exec(String(text));
      if (found !== null) resolve(found[0]);
    });
  });
  const paths = [
    '/',
    '/en',
    '/en/articles',
    '/en/articles/reading-a-stack-trace',
    '/api/articles',
    '/failures/forbidden',
    '/en/message',
    '/failures/slow-query',
    '/de/articles/two-windows-two-languages',
    '/failures/chain',
    '/en/artikles',
  ];
  mkdirSync('docs/images', { recursive: true });
  // Must come first: local variables are omitted for functions that throw repeatedly.
  await take(`${origin}/failures/chain`, 'docs/images/error-page.png');
  const tokens = [];
  // Six rounds, so that the list shows the times of a warm process.
  for (let count = 0; count < 6 * paths.length; count++) {
    await fetch(origin + paths[count % paths.length], { redirect: 'manual' });
    if (count % 2 !== 0) continue;
    const { headers } = await fetch(`${origin}/failures/n-plus-one`);
    const ms = Number(/dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1] ?? Infinity);
    tokens.push({ token: headers.get('x-debug-token'), ms });
  }
  // The fastest request: on a busy machine, the others mostly show time without CPU.
  const [{ token }] = tokens.sort((a, b) => a.ms - b.ms);
  await take(`${origin}/_profiler/${token}?panel=overview`, 'docs/images/profiler.png');
  await take(`${origin}/_profiler/`, 'docs/images/profiler-list.png');
} finally {
  await browser.close();
  demo.kill();
}

async function take(url, path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(url);
  await page.screenshot({ path });
  await context.close();
}
