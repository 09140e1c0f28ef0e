import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'node:test';

// Errors that a handler throws and catches, in a process of its own: this one rests after many throws.

const program = `
import { createApp } from ${JSON.stringify(pathToFileURL(resolve('dist/bundle/index.js')).href)};
const app = createApp({ configuration: { debug: true } });
const paths = {
  '/silent': () => { try { throw new TypeError('the price service is down'); } catch {} return { ok: true }; },
  '/awaited': async () => {
    const ask = async () => { await null; throw new Error('the stock service is down'); };
    try { await ask(); } catch {}
    return { ok: true };
  },
  '/logged': () => { try { throw new Error('logged whole'); } catch (error) { console.error(error); } return { ok: true }; },
  '/message': () => { try { throw new Error('logged as text'); } catch (error) { console.log(error.message); } return { ok: true }; },
  '/told': () => { try { throw new Error('told to the client'); } catch (error) { return { problem: error.message }; } },
  '/failed': () => { throw new Error('not caught'); },
  '/rethrown': () => { try { throw new Error('inner'); } catch (cause) { throw new Error('outer', { cause }); } },
  '/sound': () => ({ ok: true }),
};
for (const [path, answer] of Object.entries(paths)) app.get(path, answer);
const { url } = await app.listen({ port: 0 });
const found = {};
for (const path of Object.keys(paths)) {
  const answer = await fetch(url + path);
  await answer.text();
  const token = answer.headers.get('x-debug-token');
  const read = async (path) => (await fetch(url + '/_profiler/' + path)).text();
  for (let tries = 0; tries < 250 && !(await read('search.json')).includes(token); tries++)
    await new Promise((next) => setTimeout(next, 20)); // until it is written
  const record = JSON.parse(await read(token + '.json'));
  const page = await (await fetch(url + '/_profiler/' + token + '?panel=exception', { headers: { Accept: 'text/html' } })).text();
  found[path] = {
    kinds: (record.findings ?? []).map(({ kind, text }) => kind + ': ' + text),
    throws: record.sections.throws?.throws ?? [],
    isListed: page.includes('Caught errors'),
  };
}
process.stdout.write('FOUND ' + JSON.stringify(found) + '\\n', () => process.exit(0));
`;

interface Found {
  readonly kinds: readonly string[];
  readonly throws: readonly { readonly class: string; readonly message: string; readonly line: number }[];
  readonly isListed: boolean;
}

let folder: string;
let found: Readonly<Record<string, Found>>;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'caught-errors-'));
  writeFileSync(join(folder, 'app.mjs'), program);
  const child = spawn(process.execPath, ['app.mjs'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, PROFILER_STORE: 'sqlite:records.db' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += String(chunk)));
  await once(child, 'close');
  const line = printed.split('\n').find((one) => one.startsWith('FOUND '));
  assert.ok(line !== undefined, printed);
  found = JSON.parse(line.slice('FOUND '.length)) as typeof found; // of the program above
});
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const handled = (path: string): readonly string[] =>
  (found[path]?.kinds ?? assert.fail(path)).filter((kind) => kind.startsWith('handled-error'));

describe('an error that a handler throws and catches', () => {
  it('is a finding with its line if the answer is a success and nothing names it', () => {
    const begin = 'handled-error: 1 error was thrown and caught, and no log line names it: ';
    assert.deepEqual(handled('/silent'), [`${begin}TypeError: the price service is down, from app.mjs:5`]);
    assert.deepEqual(handled('/awaited'), [`${begin}Error: the stock service is down, from app.mjs:7`]);
    assert.deepEqual(
      found['/silent']?.throws.map(({ class: name, message, line }) => [name, message, line]),
      [['TypeError', 'the price service is down', 5]],
    );
    assert.equal(found['/silent']?.isListed, true);
  });

  it('is none if a log line or the response names it', () => {
    for (const path of ['/logged', '/message', '/told']) assert.deepEqual(handled(path), [], path);
  });

  it('is none if the request failed, or nothing was thrown', () => {
    for (const path of ['/failed', '/rethrown', '/sound']) {
      assert.deepEqual(handled(path), [], path);
      assert.equal(found[path]?.isListed, false, path);
    }
  });
});
