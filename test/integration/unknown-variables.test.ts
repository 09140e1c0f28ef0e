import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

const module = (path: string): string => JSON.stringify(pathToFileURL(resolve('dist/src', path)).href);

/** Runs a program with these variables, and no other lookback variables. */
function run(
  program: string,
  variables: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): { readonly out: string; readonly lines: readonly string[]; readonly status: number | null } {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...flags, '--input-type=module', '--eval', program],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], PROFILER_STORE: 'memory:', ...variables } },
  );
  return { out: stdout, lines: stderr.split('\n').filter((line) => line !== ''), status };
}

const misspelt = { LOOKBACK_TOOLBR: 'off', LOOKBAK: 'on', OTHER_LOOKBACK_X: '1' };
const expected = [
  'lookback: the environment variable LOOKBACK_TOOLBR is unknown and was ignored. Did you mean LOOKBACK_TOOLBAR?',
  'lookback: the environment variable LOOKBAK is unknown and was ignored. Did you mean LOOKBACK?',
];
const server = `
  import { createServer } from 'node:http';
  const server = createServer((request, response) => response.end('answered'));
  ATTACH
  server.listen(0, '127.0.0.1', async () => {
    const ask = async () => (await fetch('http://127.0.0.1:' + server.address().port + '/')).text();
    console.log(await ask(), await ask());
    process.exit();
  });`;
const programs = {
  'createApp, twice': [
    `import { createApp } from ${module('framework/app.js')};
     createApp(); createApp(); console.log('answered answered');`,
    [],
  ],
  'attach, twice': [
    server.replace('ATTACH', 'attach(server); attach(createServer(), { prefix: "/_other" });') +
      `import { attach } from ${module('attach.js')};`,
    [],
  ],
  'the flag': [
    server.replace('ATTACH', ''),
    ['--import', pathToFileURL(resolve('dist/src/register.js')).href],
  ],
} as const satisfies Record<string, readonly [string, readonly string[]]>;

describe('misspelt environment variables', () => {
  for (const [name, [program, flags]] of Object.entries(programs)) {
    it(`are named once on stderr with a suggestion, and the program continues: ${name}`, () => {
      const { out, lines, status } = run(program, misspelt, flags);
      assert.equal(status, 0, lines.join('\n'));
      assert.equal(out, 'answered answered\n');
      assert.deepEqual(
        lines.filter((line) => line.includes('unknown')).toSorted(),
        expected.toSorted(),
        lines.join('\n'),
      );
    });

    it(`are reported in a few lines, however many there are: ${name}`, () => {
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`LOOKBACK_X${at}`, '1']));
      const { lines } = run(program, many, flags);
      const said = lines.filter((line) => line.includes('unknown'));
      assert.equal(said.length, 6, said.join('\n'));
      assert.equal(said.at(-1), 'lookback: 35 more environment variables are unknown.');
    });
  }

  it('are reported in one line each, whatever their names contain', () => {
    const name = `LOOKBACK_\u001b[31m${'x'.repeat(500)}\nsecond`;
    const { lines } = run(programs['createApp, twice'][0], { [name]: '1' });
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.ok(!lines.join().includes('\u001b'));
    assert.ok((lines[0] ?? '').length < 250);
  });

  it('are not reported if recording is turned off for the flag', () => {
    const { lines } = run(programs['the flag'][0], { ...misspelt, LOOKBACK: 'off' }, programs['the flag'][1]);
    assert.deepEqual(lines, []);
  });
});
