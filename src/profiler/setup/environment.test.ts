import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { environmentOf, flagOf, whyNotRecorded } from './environment.js';

describe("a program's environment", () => {
  it('is APP_ENV, otherwise NODE_ENV, where unknown names count as production', () => {
    const environments = [
      [{ APP_ENV: 'dev' }, 'dev'],
      [{ APP_ENV: ' test ' }, 'test'],
      [{ APP_ENV: 'staging' }, 'prod'],
      [{ APP_ENV: 'development' }, 'prod'], // the name that NODE_ENV uses for it
      [{ NODE_ENV: 'development' }, 'dev'],
      [{ NODE_ENV: 'production' }, 'prod'],
      [{ APP_ENV: 'dev', NODE_ENV: 'production' }, 'dev'],
      [{ APP_ENV: '', NODE_ENV: 'test' }, 'test'],
      [{}, 'dev'],
      [{ NODE_TEST_CONTEXT: 'child-v8' }, 'test'],
      [{ NODE_TEST_CONTEXT: 'child-v8', APP_ENV: 'dev' }, 'dev'],
    ] as const;
    for (const [variables, expected] of environments)
      assert.equal(environmentOf(variables), expected, JSON.stringify(variables));
  });
});

describe('a boolean variable', () => {
  it('accepts eight words, in any case', () => {
    for (const word of ['1', 'true', 'YES', ' on ']) assert.equal(flagOf({ A: word }, 'A'), true, word);
    for (const word of ['0', 'False', 'no', 'OFF']) assert.equal(flagOf({ A: word }, 'A'), false, word);
  });

  it('is unset if empty, and null for other values', () => {
    assert.deepEqual(
      [flagOf({}, 'A'), flagOf({ A: ' ' }, 'A'), flagOf({ A: 'maybe' }, 'A')],
      [undefined, undefined, null],
    );
  });
});

describe('the reason why a process is not recorded', () => {
  it('is the variable that makes it production, unless recording is requested; empty if it is switched off', () => {
    const reasons = [
      [{}, undefined],
      [{ NODE_ENV: 'production' }, 'NODE_ENV is production'],
      [{ APP_ENV: 'live', NODE_ENV: 'test' }, 'APP_ENV is live'],
      [{ NODE_ENV: 'production', LOOKBACK: 'on' }, undefined],
      [{ LOOKBACK: 'off' }, ''],
      [{ LOOKBACK: 'on', PROFILER_STORE: 'off' }, ''],
      [{ LOOKBACK: 'maybe' }, undefined],
    ] as const;
    for (const [variables, expected] of reasons)
      assert.equal(whyNotRecorded(variables), expected, JSON.stringify(variables));
  });
});
