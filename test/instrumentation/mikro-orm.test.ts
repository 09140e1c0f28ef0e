import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { homeEnvironment } from '../begin/packed-package.js';
import { statementsWithSites } from './statements-with-sites.js';

describe('an application with its own MikroORM 6', () => {
  it('has the call site of every statement in a flush in its records', () => {
    const words = ['--import', './dist/bundle/register.js', 'dist/test/instrumentation/ask-mikro-orm.js'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      env: homeEnvironment({ PROFILER_STORE: 'memory:' }),
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, 0, stderr);
    assert.deepEqual(stdout.trimEnd().split('\n'), statementsWithSites, stderr);
  });
});
