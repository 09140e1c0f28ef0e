import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { writeManifest } from './flagged-program.js';

const folder = resolve('node_modules/fastify/test');
const files = ['als', 'hooks-async', 'reply-error', 'stream.1', 'upgrade'].map((name) =>
  join(folder, `${name}.test.js`),
);

/** Runs Fastify's tests in one process; returns the report lines with their results. */
async function run(options: string): Promise<string[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'fastify-suite-'));
  const program = files.map((file) => `require(${JSON.stringify(file)});\n`).join('');
  writeFileSync(join(cwd, 'suite.cjs'), program);
  writeManifest(cwd, "require('fastify')");
  const child = spawn(process.execPath, ['--test-reporter=tap', 'suite.cjs'], {
    cwd,
    env: { PATH: process.env['PATH'], PROFILER_STORE: 'memory:', NODE_OPTIONS: options },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let report = '';
  for await (const chunk of child.stdout) report += String(chunk);
  rmSync(cwd, { recursive: true, force: true });
  return [...report.matchAll(/^ *(?:not )?ok \d+ - .*$/gm)].map(([line]) => line.trim());
}

describe("a framework's own test suite under --import lookback/register", () => {
  it('Fastify: each test has the same result as without', async () => {
    const [without, flagged] = await Promise.all([
      run(''),
      run(`--import ${resolve('dist/bundle/register.js')}`),
    ]);
    assert.ok(without.length > 120, `${without.length} tests were found`);
    assert.deepEqual(flagged, without);
  });
});
