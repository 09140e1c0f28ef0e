import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'node:test';

// Errors that a handler throws and catches, in separate processes, because the inspection pauses after many throws.

const program = `
import { createApp } from ${JSON.stringify(pathToFileURL(resolve('dist/bundle/index.js')).href)};
import { statSync } from 'node:fs';
import { tryStat } from 'a-library';
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
  '/escaped': () => { try { throw new RangeError('no price for "it"'); } catch (error) { console.log(JSON.stringify({ why: error.message })); } return { ok: true }; },
  '/code': () => { try { throw Object.assign(new RangeError('nothing left'), { code: 'E_STOCK' }); } catch (error) { console.log('sold out', error.code); } return { ok: true }; },
  '/cut': () => { try { throw new RangeError('behind a long text'); } catch (error) { console.log('-'.repeat(20_000) + error.message); } return { ok: true }; },
  '/wide': () => { try { throw new RangeError('behind many members'); } catch (error) { console.log('state', Object.assign(Object.fromEntries(Array.from({ length: 500 }, (_, at) => ['key' + at, at])), { error })); } return { ok: true }; },
  '/in-memory': () => { try { throw new Error('seen beside a store in memory'); } catch {} return { ok: true }; },
  '/library': () => ({ ok: tryStat('/missing') === undefined }),
  '/own-stat': () => { try { statSync('/missing'); } catch {} return { ok: true }; },
  '/many': () => { for (let count = 0; count < 100; count++) try { throw new Error('again ' + count); } catch {} return { ok: true }; },
};
for (const [path, answer] of Object.entries(paths)) app.get(path, answer);
const { url } = await app.listen({ port: 0 });
const found = {};
for (const path of process.argv.slice(2)) {
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
  const library = join(folder, 'node_modules/a-library');
  mkdirSync(library, { recursive: true });
  writeFileSync(join(library, 'package.json'), '{ "name": "a-library", "main": "index.js" }');
  writeFileSync(
    join(library, 'index.js'),
    "exports.tryStat = (path) => { try { return require('node:fs').statSync(path); } catch {} };\n",
  );
  // Several processes, because the inspection pauses after ten throws.
  const runs = await Promise.all([
    ask(['/silent', '/awaited', '/logged', '/message', '/told', '/failed', '/rethrown', '/sound']),
    ask(['/escaped', '/code', '/cut', '/wide', '/library', '/own-stat', '/many']),
    // lookback checks whether the store file still exists, which must not count as a throw.
    ask([...Array.from({ length: 8 }, () => '/sound'), '/in-memory'], 'memory:'),
  ]);
  found = Object.assign({}, ...runs) as typeof found; // each run returns these
});
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

async function ask(paths: readonly string[], store = `sqlite:${paths.length}.db`): Promise<typeof found> {
  const child = spawn(process.execPath, ['app.mjs', ...paths], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, PROFILER_STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += String(chunk)));
  await once(child, 'close');
  const line = printed.split('\n').find((one) => one.startsWith('FOUND '));
  assert.ok(line !== undefined, printed);
  return JSON.parse(line.slice('FOUND '.length)) as typeof found; // printed by the program above
}

const handled = (path: string): readonly string[] =>
  (found[path]?.kinds ?? assert.fail(path)).filter((kind) => kind.startsWith('handled-error'));

describe('an error that a handler throws and catches', () => {
  it('is a finding with its line if the response is a success and nothing names it', () => {
    const begin = 'handled-error: An error was thrown and caught, and no log line in this record names it: ';
    assert.deepEqual(handled('/silent'), [`${begin}TypeError: the price service is down, from app.mjs:7`]);
    assert.deepEqual(handled('/awaited'), [`${begin}Error: the stock service is down, from app.mjs:9`]);
    assert.deepEqual(
      found['/silent']?.throws.map(({ class: name, message, line }) => [name, message, line]),
      [['TypeError', 'the price service is down', 7]],
    );
    assert.equal(found['/silent']?.isListed, true);
  });

  it('is not a finding if a log line or the response names it', () => {
    for (const path of ['/logged', '/message', '/told']) assert.deepEqual(handled(path), [], path);
  });

  it('is not a finding if a log line names it escaped or by its code, or may have been cut off before naming it', () => {
    for (const path of ['/escaped', '/code', '/cut', '/wide']) {
      assert.deepEqual(handled(path), [], path);
      assert.equal(found[path]?.throws.length, 1, path);
    }
  });

  it('is not a finding if a library that called Node caught it', () => {
    assert.deepEqual(handled('/library'), []);
    assert.equal(found['/library']?.isListed, false);
    assert.match(handled('/own-stat').join(''), /ENOENT: .*, from app\.mjs:\d+$/);
  });

  it('is found if records are kept in memory', () => {
    assert.match(handled('/in-memory').join(''), /Error: seen beside a store in memory, from app\.mjs:\d+$/);
  });

  it('is counted as often as it was observed: functions that throw often are skipped', () => {
    assert.match(
      handled('/many').join(''),
      /: At least [2-5] errors were thrown and caught, and no log line in this record names them; first: Error: again 0,/,
    );
  });

  it('is not a finding if the request failed, or nothing was thrown', () => {
    for (const path of ['/failed', '/rethrown', '/sound']) {
      assert.deepEqual(handled(path), [], path);
      assert.equal(found[path]?.isListed, false, path);
    }
  });
});
