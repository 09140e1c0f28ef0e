import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { endOf, idOf, numbersOfSpan, spanEnd } from '../record/spans.js';
import { maxSpans, registerSpan, SpanList } from './span-list.js';

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

describe('the spans of a request', () => {
  it('are its own, whatever requests run beside it or ran before', () => {
    const step = fc.record({
      request: fc.nat(3),
      kind: fc.nat(2),
      does: fc.constantFrom('enter', 'enter', 'leave', 'end'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const open = new Map<number, { list: SpanList; spans: [number, number][]; places: number[] }>();
        for (const { request, kind, does } of steps) {
          const one = open.get(request) ?? { list: new SpanList(request), spans: [], places: [] };
          open.set(request, one);
          if (does === 'enter') {
            one.places.push(one.list.enter(kinds[kind] ?? 0));
            one.spans.push([kinds[kind] ?? 0, spanEnd.open]);
          } else if (does === 'leave' && one.places.length > 0) {
            const place = one.places.pop() ?? 0;
            one.list.leave(place, spanEnd.failed);
            one.spans[place / numbersOfSpan] = [idOfSpan(one.spans, place), spanEnd.failed];
          } else if (does === 'end') {
            assert.deepEqual(read(one.list.endAt(one.list.now())), one.spans);
            one.list.release();
            open.delete(request);
          }
        }
      }),
    );
  });

  it('beyond the greatest number are counted and not kept', () => {
    const list = new SpanList(1);
    for (let at = 0; at < maxSpans + 3; at++) list.leave(list.enter(kinds[0] ?? 0), spanEnd.plain);
    assert.equal(list.dropped, 3);
    assert.equal(read(list.endAt(list.now())).length, maxSpans);
    list.release();
    assert.deepEqual(read(new SpanList(2).endAt(0)), []);
  });
});

function idOfSpan(spans: readonly (readonly [number, number])[], place: number): number {
  return spans[place / numbersOfSpan]?.[0] ?? -1;
}
