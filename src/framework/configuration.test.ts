import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

describe('loadEnvironment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-env-'));
  const entry = pathToFileURL(resolve('dist/src/framework/configuration.js')).href;
  const script = `const { loadEnvironment } = await import(${JSON.stringify(entry)});
    const files = loadEnvironment({ folder: ${JSON.stringify(folder)} });
    console.log(JSON.stringify([files.map((file) => file.split(/[\\\\/]/).at(-1)), process.env.A, process.env.B, process.env.C, process.env.D]));`;
  const load = (env: Record<string, string>): unknown => {
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    });
    assert.equal(run.status, 0, run.stderr);
    return JSON.parse(run.stdout);
  };

  it("prefers the process's variables, then the more specific file; tests ignore .env.local", () => {
    writeFileSync(join(folder, '.env'), 'A=env\nB=env\nC=env\nD="two words" # remark\n');
    writeFileSync(join(folder, '.env.local'), 'B=local\nC=local\n');
    writeFileSync(join(folder, '.env.test'), 'C=test\n');
    writeFileSync(join(folder, '.env.dev'), 'C=dev\nA=dev\n');
    assert.deepEqual(load({}), [['.env.local', '.env.dev', '.env'], 'dev', 'local', 'local', 'two words']);
    assert.deepEqual(load({ NODE_ENV: 'test' }), [['.env.test', '.env'], 'env', 'env', 'test', 'two words']);
    assert.deepEqual(load({ NODE_ENV: 'production', A: 'process' }), [
      ['.env.local', '.env'],
      'process',
      'local',
      'local',
      'two words',
    ]);
    assert.deepEqual(load({ APP_ENV: '../x' }), [
      ['.env.local', '.env'],
      'env',
      'local',
      'local',
      'two words',
    ]);
    rmSync(folder, { recursive: true });
    assert.deepEqual(load({}), [[], null, null, null, null]);
  });
});
