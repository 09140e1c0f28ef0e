import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../../../../test/profiler/plain-record.js';
import { type ProfileSummary, summaryOf } from '../../model/profile-summary.js';
import { findProblems } from './problems.js';

type RowFinding = ProfileSummary['findings'][number];

const plainRow = summaryOf(plain, {});
const ok: Partial<ProfileSummary> = { route: 'a', answerMs: 5 };
const finding = (kind: string, text: string, level: RowFinding['level'] = 'warn'): RowFinding => ({
  kind,
  text,
  level,
});

/** The lines about these requests' problems, newest first, without their numbers. */
function linesOf(...rows: Partial<ProfileSummary>[]): Promise<readonly string[]> {
  return linesWith([], rows);
}

/** The same, with the process's memory in MiB at each request. */
async function linesWith(
  used: readonly number[],
  rows: readonly Partial<ProfileSummary>[],
): Promise<readonly string[]> {
  const all = rows.map((row, at) => ({
    ...plainRow,
    ...ok,
    token: `abcd${String(at).padStart(2, '0')}`,
    ...row,
  }));
  const { rows: found } = await findProblems(
    {
      collected: [],
      find: (token) => {
        const mib = used[all.findIndex((row) => row.token === token)];
        if (mib === undefined) return Promise.resolve({ kind: 'never' });
        const memory = { rss: 1, heapTotal: 1, heapUsed: mib * 1024 * 1024, external: 0 };
        const runtime = { ...plain.runtime, memory };
        return Promise.resolve({ kind: 'found', record: { ...plain, token, runtime }, note: null });
      },
      list: () => Promise.resolve({ rows: all, next: null, complete: true }),
      totals: () => Promise.resolve({ groups: [], complete: true }),
      news: () => Promise.resolve(undefined),
      routes: () => Promise.resolve(undefined),
    },
    [],
  );
  return found.map(({ line }) => line.replace(/^\d+ /, ''));
}

describe('the problem list', () => {
  it('has a refusal once, with its response', async () => {
    const refused = { status: 403, findings: [finding('refused', 'Answered 403: {"error":"no"}')] };
    assert.deepEqual(await linesOf(refused, refused), [
      'refused 2x of 2 GET a Answered 403: {"error":"no"} abcd00',
    ]);
    assert.deepEqual(await linesOf({ status: 403 }), ['refused 1x of 1 GET a Answered 403 abcd00']);
  });

  it("omits a route's few requests for missing things", async () => {
    const missing = { status: 404, findings: [finding('refused', 'Answered 404')] };
    assert.deepEqual(await linesOf(missing, {}, {}), []);
    assert.equal((await linesOf(missing, missing, {})).length, 1);
  });

  it("omits slow requests if few of the route's are slow, unless they took long", async () => {
    const slow = { answerMs: 130, findings: [finding('slow', '1 query took 90 ms of 130 ms')] };
    assert.deepEqual(await linesOf(slow, {}, {}), []);
    assert.equal((await linesOf(slow, {})).length, 1);
    assert.equal((await linesOf({ ...slow, answerMs: 700 }, {}, {})).length, 1);
  });

  it('names the request that blocked the event loop, and not those that it held up', async () => {
    const blocker = { route: 'b', findings: [finding('blocked', 'Blocked the event loop for 300 ms')] };
    const victim = { findings: [finding('held-up', 'abcd00 blocked the event loop for 290 ms meanwhile')] };
    assert.deepEqual(await linesOf(blocker, victim, victim), [
      'blocked 1x of 1 GET b Blocked the event loop for 300 ms abcd00',
    ]);
    assert.deepEqual(
      await linesOf({ route: 'b' }, victim, {
        findings: [finding('held-up', 'ffff99 blocked the event loop for 240 ms meanwhile')],
      }),
      ['held-up 2x of 2 GET a abcd00 blocked the event loop for 290 ms meanwhile abcd01'],
    );
  });

  it('omits a single possible wait shorter than a second', async () => {
    const waited = (text: string): Partial<ProfileSummary> => ({ findings: [finding('held-up', text)] });
    const short = waited('May have waited up to 93.3 ms before it was read: ffff99 blocked the event loop');
    assert.deepEqual(await linesOf(short), []);
    assert.equal((await linesOf(short, short)).length, 1);
    assert.equal(
      (
        await linesOf(
          waited('May have waited up to 1.46 s before it was read: ffff99 blocked the event loop'),
        )
      ).length,
      1,
    );
  });

  it('has Node warnings, except those about experimental or deprecated features', async () => {
    const warned = (text: string): Promise<readonly string[]> =>
      linesOf({ findings: [finding('node-warning', text)] });
    assert.equal((await warned('1 warning of Node: MaxListenersExceededWarning: Possible leak')).length, 1);
    for (const kind of ['Experimental', 'Deprecation'])
      assert.deepEqual(await warned(`1 warning of Node: ${kind}Warning: It may change`), []);
  });

  it('marks failures that were answered as a success', async () => {
    const failed = { findings: [finding('failed-query', '1 query failed: no table', 'error')] };
    assert.deepEqual(await linesOf(failed), [
      'failed-query 1x of 1 GET a 1 query failed: no table (answered 200) abcd00',
    ]);
    assert.deepEqual(await linesOf({ ...failed, status: 500 }), [
      'failed-query 1x of 1 GET a 1 query failed: no table abcd00',
    ]);
  });

  it('has the route with the largest share in growing memory, unless a sample fell', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => ({ route: at % 4 === 0 ? 'b' : 'a' }));
    const growing = rows.map((_, at) => 100 - 4 * at); // newest first
    assert.deepEqual(await linesWith(growing, rows), [
      'memory 8x of 9 GET a Heap and external memory grew by 44.0 MiB (56.0 to 100.0 MiB in 12 samples, no fall of 10 %); spread evenly, 32.0 MiB fall to these 8 requests abcd01',
    ]);
    assert.deepEqual(await linesWith(growing.with(5, 60), rows), []);
    assert.deepEqual(
      await linesWith(
        rows.map((_, at) => 100 - at / 2),
        rows,
      ),
      [],
    );
  });

  it('has lost changes before requests that waited, and no password hashes', async () => {
    const slow = (text: string): Partial<ProfileSummary> => ({ findings: [finding('slow', text)] });
    const lines = await linesOf(
      { ...slow('“Hash a password” took 1.2 s of 1.3 s'), answerMs: 1300 },
      slow('“Check a password” took 240 ms of 250 ms'),
      {
        findings: [
          finding('held-up', 'Code outside any known request blocked the event loop for 2 s meanwhile'),
        ],
      },
      { findings: [finding('unflushed', 'Ticket 2 was changed (title) and never flushed')] },
    );
    assert.deepEqual(
      lines.map((line) => line.replace(/ .*/, '')),
      ['unflushed', 'held-up'],
    );
  });

  it('has possibly intended facts last: a language that only some requests got, and unused rows', async () => {
    const language = {
      findings: [finding('language', 'The response is in en; the client accepts de', 'info')],
    };
    assert.equal((await linesOf(language, {})).length, 1);
    assert.deepEqual(await linesOf(language, language), []);
    const rows = {
      findings: [finding('unused-rows', '1 query returned 2,000 rows for a response of 46 B', 'info')],
    };
    const lines = await linesOf(rows, { status: 403 });
    assert.match(lines[1] ?? '', /^unused-rows 1x of 2 /);
  });
});
