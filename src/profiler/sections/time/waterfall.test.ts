import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RecordedSpan } from '../../model/profile-record.js';
import { contextWith, plain } from '../../../../test/profiler/plain-record.js';
import { foldShort, nestSpans, stepsOf, waterfallOf } from './waterfall.js';

const span = (category: string, startMs: number, durationMs: number): RecordedSpan => ({
  name: `${category} ${startMs}`,
  category,
  startMs,
  durationMs,
  ...(category === 'database' ? { section: 'db' } : {}),
});
const rowsOf = (spans: readonly RecordedSpan[], least: number): string[] =>
  foldShort(nestSpans(spans), least).map(({ depth, name, busyMs }) =>
    `${depth} ${name} ${busyMs ?? ''}`.trim(),
  );

describe('short timeline rows', () => {
  it('are folded with their neighbours, and long ones stay', () => {
    const spans = [
      span('stage', 0, 3),
      span('listener', 0.5, 1),
      span('listener', 2, 1),
      span('controller', 5, 90),
      span('database', 10, 2),
      span('database', 20, 2),
      span('database', 30, 50),
      span('stage', 96, 2),
    ];
    assert.deepEqual(rowsOf(spans, 5), [
      '0 2 listeners combined 3',
      '0 controller 5',
      '1 2 queries combined 4',
      '1 database 30',
      '0 stage 96',
    ]);
    assert.equal(rowsOf(spans, 0).length, spans.length);
  });

  it('of several kinds are called steps, each in its own colour', () => {
    const [row] = foldShort(nestSpans([span('app', 0, 3), span('rendering', 3, 1)]), 5);
    assert.equal(row?.name, '2 steps combined');
    assert.deepEqual(row?.parts, [
      { start: 0, duration: 3, category: 'app' },
      { start: 3, duration: 1, category: 'rendering' },
    ]);
  });

  it('of a cache are called commands, separate from adjacent database queries', () => {
    const cached = (startMs: number): RecordedSpan => ({ ...span('database', startMs, 1), section: 'cache' });
    assert.deepEqual(rowsOf([cached(0), cached(2)], 5), ['0 2 cache commands combined 2']);
    assert.deepEqual(rowsOf([cached(0), span('database', 2, 1)], 5), ['0 2 steps combined 2']);
  });

  it('of one query in a loop share one row of any length, and other queries have their own', () => {
    const query = (startMs: number, name = 'select ? from a'): RecordedSpan => ({
      ...span('database', startMs, 4),
      name,
      section: 'db',
      anchor: `query-${startMs}`,
    });
    const spans = [span('controller', 0, 60), query(1, 'select 1 from a'), query(10, 'select b'), query(20)];
    assert.equal(stepsOf(spans).length, spans.length, 'two queries do not make a loop');
    const [, comb, other] = stepsOf([...spans, query(30, 'select 3 from a')]);
    assert.deepEqual([comb?.repeats, comb?.busyMs, comb?.durationMs, comb?.anchor], [3, 12, 33, 'query-1']);
    assert.deepEqual(
      comb?.parts?.map(({ start }) => start),
      [1, 20, 30],
    );
    assert.equal(other?.name, 'select b');
    assert.equal(
      foldShort(stepsOf([...spans, query(30)]), 50).length,
      3,
      'single steps are folded before loops',
    );
  });

  it('that ran concurrently count once in the time they cover', () => {
    const call = (startMs: number): RecordedSpan => ({
      ...span('http', startMs, 10),
      name: 'GET',
      section: 'http',
    });
    const [row] = stepsOf([call(0), call(2), call(4)]);
    assert.deepEqual([row?.repeats, row?.busyMs], [3, 14]);
  });

  it('cover the same time, for any spans', () => {
    const times = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(times, times)), times, (pairs, least) => {
        const spans = pairs.map(([start, length]) => span('stage', start, length));
        const rows = foldShort(nestSpans(spans), least);
        const long = spans.filter(({ durationMs }) => durationMs >= least).length;
        assert.ok(rows.length >= long && rows.length <= spans.length);
        assert.equal(
          Math.min(...rows.map(({ startMs }) => startMs)),
          Math.min(...spans.map(({ startMs }) => startMs)),
        );
        const endOf = (all: readonly { readonly startMs: number; readonly durationMs: number }[]): number =>
          Math.max(0, ...all.map(({ startMs, durationMs }) => startMs + durationMs));
        assert.ok(Math.abs(endOf(rows) - endOf(spans)) < 1e-6);
      }),
    );
  });
});

const stage = (name: string, startMs: number, durationMs: number): RecordedSpan => ({
  name,
  category: 'stage',
  startMs,
  durationMs,
});

describe('nestSpans', () => {
  it('places a span one level below the span that contains it', () => {
    const nested = nestSpans([
      stage('controller', 3, 4),
      stage('request', 0, 2),
      stage('router', 0.5, 0.5),
      stage('query', 4, 1),
      stage('firewall', 1, 1),
    ]);
    assert.deepEqual(
      nested.map(({ name, depth }) => `${depth} ${name}`),
      ['0 request', '1 router', '1 firewall', '0 controller', '1 query'],
    );
  });

  it('does not nest siblings that the clock cannot tell apart, and puts a listener into its stage', () => {
    const listener = (name: string, startMs: number, durationMs: number): RecordedSpan => ({
      ...stage(name, startMs, durationMs),
      category: 'listener',
    });
    const nested = nestSpans([
      stage('response', 5, 0.004),
      listener('csrf cookie', 5, 0.001),
      listener('remember me', 5.001, 0),
      listener('session', 5.001, 0.003),
      listener('last', 5.004, 0),
      stage('finish', 5.004, 0),
      listener('release', 5.004, 0),
      stage('terminate', 6, 1),
    ]);
    assert.deepEqual(
      nested.map(({ name, depth }) => `${depth} ${name}`),
      [
        '0 response',
        '1 csrf cookie',
        '1 remember me',
        '1 session',
        '1 last',
        '0 finish',
        '1 release',
        '0 terminate',
      ],
    );
  });

  it('puts nothing within a query, since spans during it run concurrently', () => {
    const query = (name: string, startMs: number, durationMs: number): RecordedSpan => ({
      ...stage(name, startMs, durationMs),
      category: 'database',
      section: 'db',
    });
    const nested = nestSpans([stage('controller', 0, 10), query('slow', 1, 8), query('quick', 2, 1)]);
    assert.deepEqual(
      nested.map(({ name, depth }) => `${depth} ${name}`),
      ['0 controller', '1 slow', '1 quick'],
    );
  });

  it('keeps every span, for any overlaps', () => {
    const times = fc.double({ min: 0, max: 1_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(times, times)), (pairs) => {
        const spans = pairs.map(([start, length], index) => stage(String(index), start, length));
        assert.deepEqual(
          new Set(nestSpans(spans).map(({ name }) => name)),
          new Set(spans.map(({ name }) => name)),
        );
      }),
    );
  });
});

describe("a record's timeline", () => {
  const log = (message: string, level: 'info' | 'warning' | 'error' = 'info') =>
    ({ time: 0, offsetMs: 3, level, channel: 'app', message }) as const;
  const timeline: readonly RecordedSpan[] = [
    { ...span('stage', 0, 50), name: 'request' },
    { ...span('controller', 60, 100), name: 'handler', open: true },
    { ...span('database', 70, 20), section: 'db', anchor: 'query-1', detail: 'shop.ts:3' },
  ];
  const record = {
    ...plain,
    timeline,
    logs: [log('m'.repeat(121)), log('bad', 'error'), log('hm', 'warning')],
  };
  const options = { foldBelowMs: 0, maxRows: 10 };

  it('has the whole request first, then each step with name, depth, link and known facts', () => {
    const controller = { name: 'Shop.show', file: null, line: null, arguments: [] };
    const { block, omitted } = waterfallOf({ ...record, controller }, contextWith(), options);
    assert.deepEqual(block.spans, [
      { label: 'GET /', start: 0, duration: 200, category: 'framework' },
      { label: 'request event', start: 0, duration: 50, depth: 1, category: 'stage' },
      {
        label: 'Shop.show',
        start: 60,
        duration: 100,
        depth: 1,
        category: 'controller',
        detail: 'never ended while the request was watched',
      },
      {
        label: 'database 70',
        start: 70,
        duration: 20,
        depth: 2,
        category: 'database',
        detail: 'shop.ts:3',
        href: '?panel=db#query-1',
      },
    ]);
    assert.deepEqual([block.total, block.marks, 'breakdown' in block, omitted], [200, [], false, 0]);
    assert.equal(waterfallOf(record, contextWith(), options).block.spans[2]?.label, 'handler');
    const route = { name: 'home', path: '/{id}', parameters: [], trace: null, allow: [] };
    assert.equal(
      waterfallOf({ ...record, route }, contextWith(), options).block.spans[0]?.label,
      'GET /{id}',
    );
  });

  it('says how many rows it omits', () => {
    const { block, omitted } = waterfallOf(record, contextWith(), { ...options, maxRows: 2 });
    assert.deepEqual([block.spans.length, omitted], [3, 1]);
  });

  it('of a whole request has its kinds of work, and a mark for each of the first sixty log lines', () => {
    const { block } = waterfallOf(record, contextWith(), { ...options, isWhole: true });
    assert.deepEqual(block.marks, [
      { at: 3, label: `info: ${'m'.repeat(120)}`, tone: 'neutral', href: '?panel=logs#log-1' },
      { at: 3, label: 'error: bad', tone: 'error', href: '?panel=logs#log-2' },
      { at: 3, label: 'warning: hm', tone: 'warn', href: '?panel=logs#log-3' },
    ]);
    assert.equal(block.breakdown?.database, 20);
    const many = { ...record, logs: Array.from({ length: 61 }, () => log('m')) };
    assert.equal(waterfallOf(many, contextWith(), { ...options, isWhole: true }).block.marks?.length, 60);
  });

  it('has a row without a link for folded steps, and one with a link for a loop', () => {
    const short = [10, 20].map((at) => ({
      ...span('database', at, 1),
      section: 'db',
      anchor: `query-${at}`,
    }));
    const fold = waterfallOf({ ...plain, timeline: short }, contextWith(), { ...options, foldBelowMs: 5 })
      .block.spans[1];
    assert.deepEqual(
      [fold?.label, fold?.href, fold?.busy, fold?.parts?.length, fold?.repeats],
      ['2 queries combined', undefined, 2, 2, undefined],
    );
    const loop = [10, 20, 30].map((at) => ({
      ...span('database', at, 1),
      name: 'select 1',
      section: 'db',
      anchor: `query-${at}`,
    }));
    const comb = waterfallOf({ ...plain, timeline: loop }, contextWith(), options).block.spans[1];
    assert.deepEqual(
      [comb?.label, comb?.href, comb?.busy, comb?.repeats],
      ['select 1', '?panel=db#query-10', 3, 3],
    );
  });

  it('shows a loop from a fifth of the time that a single step needs to be shown', () => {
    const loop = (ms: number) =>
      [10, 20, 30].map((at) => ({ ...span('database', at, ms), name: 'select 1', section: 'db' }));
    const labels = (ms: number): readonly string[] => {
      const quick = { ...span('listener', 0, 0.1), name: 'quick' };
      const { block } = waterfallOf({ ...plain, timeline: [quick, ...loop(ms)] }, contextWith(), {
        ...options,
        foldBelowMs: 15,
      });
      return block.spans.map(({ label }) => label).slice(1);
    };
    assert.deepEqual(labels(1), ['quick', 'select 1']); // 3 ms are a fifth of 15 ms
    assert.equal(labels(0.9).length, 1);
    const twice = stepsOf(loop(1).slice(1));
    assert.deepEqual(
      twice.map(({ repeats }) => repeats),
      [undefined, undefined],
    );
  });
});
