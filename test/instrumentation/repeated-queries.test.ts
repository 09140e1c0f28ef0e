import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findingsOf } from '#profiler';
import { recordQuery } from '#profiler/instrumentation';
import { runAsOwnWork } from '#core/scope';
import { createRecorderBench, dbOf, type RecorderBench } from './recorder-bench.js';

describe('repeated queries', () => {
  let bench: RecorderBench;
  before(() => (bench = createRecorderBench()));
  after(() => bench.close());

  const send = (id: number): void =>
    recordQuery({ sql: 'SELECT name FROM author WHERE id = $1', params: [id], durationMs: 3, rows: 1 });

  it('are counted in the finding and its group, including those that the record omits', async () => {
    const record = await bench.record(() => {
      for (let id = 0; id < 5000; id++) send(id);
    });
    const [group] = dbOf(record).groups;
    assert.ok(dbOf(record).queries.length <= 200);
    assert.equal(group?.count, 5000);
    assert.match(
      findingsOf(record)
        .map(({ text }) => text)
        .join('\n'),
      /the same query( ran)? 5,000 times/,
    );
  });

  it("by lookback's own stores are kept and marked, and are not a finding", async () => {
    const record = await bench.record(() => {
      for (let turn = 0; turn < 4; turn++) runAsOwnWork(() => send(turn % 2));
    });
    const { queries, groups } = dbOf(record);
    assert.deepEqual(
      queries.map(({ isOwn }) => isOwn),
      [true, true, true, true],
    );
    assert.deepEqual(groups, []);
    assert.deepEqual(
      findingsOf(record).filter(({ text }) => /quer/.test(text)),
      [],
    );
  });
});
