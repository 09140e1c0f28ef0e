import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { endOf, idOf, numbersOfSpan, spanEnd } from '../encoding/spans.js';
import type * as Module from './span-list.js';
import { maxSpans, registerSpan, SpanList, spanKinds, spanNameOf } from './span-list.js';

const kinds = ['a', 'b', 'c'].map((name) => registerSpan({ name, category: 'other' }));

/** The kind and the end of each span. */
function read(numbers: readonly number[]): [kind: number, end: number][] {
  const spans: [number, number][] = [];
  for (let at = 0; at < numbers.length; at += numbersOfSpan) {
    const [code = 0, begin = -1, end = -1] = numbers.slice(at, at + numbersOfSpan);
    assert.ok(begin >= 0 && end >= begin, `${begin} to ${end}`);
    spans.push([idOf(code), endOf(code)]);
  }
  return spans;
}

describe("a request's spans", () => {
  it('are its own, no matter which requests run concurrently or ran before', () => {
    const step = fc.record({
      request: fc.nat(3),
      kind: fc.nat(2),
      does: fc.constantFrom('enter', 'enter', 'leave', 'end'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const open = new Map<number, { list: SpanList; spans: [number, number][]; locations: number[] }>();
        for (const { request, kind, does } of steps) {
          const one = open.get(request) ?? { list: new SpanList(request), spans: [], locations: [] };
          open.set(request, one);
          if (does === 'enter') {
            one.locations.push(one.list.enter(kinds[kind] ?? 0));
            one.spans.push([kinds[kind] ?? 0, spanEnd.open]);
          } else if (does === 'leave' && one.locations.length > 0) {
            const index = one.locations.pop() ?? 0;
            one.list.leave(index, spanEnd.failed);
            one.spans[index / numbersOfSpan] = [idOfSpan(one.spans, index), spanEnd.failed];
          } else if (does === 'end') {
            assert.deepEqual(read(one.list.endAt(one.list.now())), one.spans);
            one.list.release();
            open.delete(request);
          }
        }
      }),
    );
  });

  it('beyond the maximum are counted and not kept', () => {
    const list = new SpanList(1);
    for (let at = 0; at < maxSpans + 3; at++) list.leave(list.enter(kinds[0] ?? 0), spanEnd.plain);
    assert.equal(list.dropped, 3);
    assert.equal(read(list.endAt(list.now())).length, maxSpans);
    list.release();
    assert.deepEqual(read(new SpanList(2).endAt(0)), []);
  });
});

function idOfSpan(spans: readonly (readonly [number, number])[], index: number): number {
  return spans[index / numbersOfSpan]?.[0] ?? -1;
}

let clock = 0;

const [stage, listener, handler] = ['stage', 'listener', 'controller'].map((category) =>
  registerSpan({ name: `of ${category}`, category }),
) as [number, number, number]; // one for each

/** Mocks the clock for a suite's tests. */
function withClock(): void {
  beforeEach(() => {
    clock = 1000;
    mock.method(performance, 'now', () => clock);
  });
  afterEach(() => mock.restoreAll());
}

describe('a span kind', () => {
  withClock();
  it('has one id per description, whose name is cut at 300 characters', () => {
    const described = { name: 'n'.repeat(301), category: 'test' };
    const id = registerSpan(described);
    assert.equal(registerSpan({ ...described, event: '', priority: 0, location: '' }), id);
    assert.equal(spanNameOf(id), 'n'.repeat(300));
    assert.deepEqual(spanKinds()[id], {
      name: 'n'.repeat(300),
      category: 'test',
      event: '',
      priority: 0,
      location: '',
    });
    for (const other of [
      { event: 'e' },
      { priority: 1 },
      { location: 'p' },
      { category: 'c' },
      { name: 'm' },
    ])
      assert.notEqual(registerSpan({ ...described, ...other }), id);
    assert.equal(spanNameOf(-1), 'further kinds');
    assert.equal(spanNameOf(0), 'further kinds');
  });

  it('beyond the limit becomes one of the further kinds', async () => {
    const url = './span-list.js?full'; // the process's own stay unchanged
    const { registerSpan, spanKinds } = (await import(url)) as typeof Module;
    const before = spanKinds().length;
    for (let at = before; at < 20_000; at++)
      assert.equal(registerSpan({ name: `many ${at}`, category: 'test' }), at);
    assert.equal(registerSpan({ name: 'one too many', category: 'test' }), 0);
    assert.equal(spanKinds().length, 20_000);
    assert.notEqual(registerSpan({ name: 'many 19999', category: 'test' }), 0);
  });
});

describe('span times', () => {
  withClock();
  it('are 0.1 µs ticks since the beginning, with the outcome', () => {
    const spans = new SpanList(1);
    clock = 1001.5;
    const index = spans.enter(handler);
    clock = 1002;
    assert.equal(spans.milliseconds(), 2);
    clock = 1003;
    spans.leave(index, spanEnd.failed);
    const [code = 0, from, to] = spans.endAt(0);
    assert.deepEqual([idOf(code), endOf(code), from, to], [handler, spanEnd.failed, 15_000, 30_000]);
    clock = 1009;
    spans.leave(index, spanEnd.plain); // already ended
    assert.deepEqual([endOf(spans.endAt(0)[0] ?? 0), spans.endAt(0)[2]], [spanEnd.failed, 30_000]);
  });

  it('read the clock once between adjacent spans: a listener begins with the last reading, a stage ends with it', () => {
    const spans = new SpanList(1);
    clock = 1001;
    const outer = spans.enter(stage);
    clock = 1002;
    const inner = spans.enter(listener);
    clock = 1003;
    spans.leave(inner, spanEnd.plain);
    clock = 1004;
    spans.leave(outer, spanEnd.plain);
    assert.deepEqual(
      [0, 3].map((at) => spans.endAt(0).slice(at + 1, at + 3)),
      [
        [10_000, 30_000],
        [10_000, 30_000],
      ],
    );
  });

  it('beyond the 384th span are counted, and their ends ignored', () => {
    const spans = new SpanList(1);
    for (let at = 0; at < maxSpans; at++) assert.equal(spans.enter(handler), at * 3);
    assert.equal(spans.enter(handler), -1);
    assert.equal(spans.dropped, 1);
    const before = [...spans.endAt(0)];
    spans.leave(-1, spanEnd.plain);
    spans.leave(maxSpans * 3, spanEnd.plain);
    assert.deepEqual(spans.endAt(0), before);
  });

  it('end with the request for open spans', () => {
    const spans = new SpanList(1);
    const [closed, open] = [spans.enter(handler), spans.enter(handler)];
    clock = 1001;
    spans.leave(closed, spanEnd.plain);
    const numbers = spans.endAt(99);
    assert.deepEqual([numbers[closed + 2], numbers[open + 2]], [10_000, 99]);
    assert.equal(endOf(numbers[open] ?? 0), spanEnd.open);
  });

  it('are integers even beyond 32 bits', () => {
    const spans = new SpanList(1);
    clock = 1000 + 300_000.0002;
    assert.equal(spans.now(), 3_000_000_002);
    clock = 1000 + 2.00006;
    assert.equal(spans.now(), 20_001);
  });
});
