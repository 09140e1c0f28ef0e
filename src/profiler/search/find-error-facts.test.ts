import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import { observeScopes } from '#core/scope';
import { plain, query } from '../../../test/profiler/plain-record.js';
import { createSampleReader } from '../../../test/profiler/sample-reader.js';
import type { FactSources } from '../web/record/read-error-facts.js';
import { findErrorFacts } from './find-error-facts.js';

const failed = {
  ...plain,
  token: 'abc003',
  exception: flattenError(new Error('no such column: nam')),
  sections: {
    db: {
      totals: {},
      groups: [],
      changes: [],
      queries: [query({ sql: 'select nam', error: 'no such column: nam' })],
    },
  },
};
const timedOut = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
const call = {
  method: 'GET',
  url: 'http://a.example/',
  error: timedOut.message,
  offsetMs: 1,
  callSite: [{ name: 'load', file: '/app/load.ts', line: 4, column: 2 }],
};
const aborted = {
  ...failed,
  exception: flattenError(
    Object.defineProperty(timedOut, 'stack', {
      value: 'TimeoutError: no\n    at Timeout._onTimeout (node:internal/abort_controller:129:9)',
    }),
  ),
  sections: { http: { totals: { calls: 1 }, calls: [call] } },
};
const good = { ...plain, token: 'abc002', startedAt: 500 };
const never = new Promise<never>(() => undefined);
const prefix = 'http://localhost/_profiler';

const factsFrom = (changes: Partial<FactSources['reader']>) =>
  findErrorFacts({ reader: { ...createSampleReader([failed, good]), ...changes }, prefix }, failed.token);

describe('the facts on the error page', () => {
  it("are the failed statement and the error's history", async () => {
    const { statement, history } = await factsFrom({});
    assert.deepEqual(
      [statement?.sql, statement?.mark, statement?.href],
      ['select nam', [7, 10], `${prefix}/abc003?panel=db#query-1`],
    );
    assert.equal(history?.lastGood?.href, `${prefix}/abc002`);
    assert.equal(history.lastGood.comparison, `${prefix}/compare/abc003/abc002`);
  });

  it('are the failed call and its line if no frame of the error is in the application', async () => {
    const facts = await factsFrom({ find: () => Promise.resolve({ kind: 'found', record: aborted }) });
    assert.deepEqual(facts.call, {
      request: 'GET http://a.example/',
      site: { name: 'load', file: '/app/load.ts', line: 4, column: 2, text: 'load (/app/load.ts:4:2)' },
      place: 'the only call',
      href: `${prefix}/abc003?panel=http#call-1`,
    });
  });

  it('are those known after a quarter of a second if the store hangs', async () => {
    await factsFrom({}); // loads the code
    const from = performance.now();
    const facts = await factsFrom({ totals: () => never });
    assert.deepEqual(Object.keys(facts), ['statement']);
    assert.deepEqual(await factsFrom({ find: () => never }), {});
    assert.ok(performance.now() - from < 5000);
  });

  it('are awaited in profiler time, counted once', async () => {
    let [ownMs, times] = [0, 0];
    const ignore = (): void => undefined;
    const own = (from: number, to: number): void => {
      ownMs += to - from;
      times++;
    };
    observeScopes({ enter: ignore, leave: ignore, own });
    try {
      const from = performance.now();
      await factsFrom({ totals: () => never });
      const wholeMs = performance.now() - from;
      assert.equal(times, 1, 'counted once');
      assert.ok(ownMs > 200 && ownMs <= wholeMs, `${ownMs} of ${wholeMs}`);
    } finally {
      observeScopes(undefined);
    }
  });

  it('are empty if the store fails or has no such record', async () => {
    const broken = (): never => {
      throw new Error('The store is gone');
    };
    assert.deepEqual(await factsFrom({ find: broken }), {});
    assert.deepEqual(await factsFrom({ find: () => Promise.reject(new Error('gone')) }), {});
    assert.deepEqual(Object.keys(await factsFrom({ list: broken })), ['statement']);
    assert.deepEqual(await factsFrom({ find: async () => ({ kind: 'never' }) }), {});
  });
});
