import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';
import { readSpanList, SpanListWriter } from './span-list.js';
import { registerSpan } from './span-registry.js';
import { mostSpans, SpanSlots } from './span-slots.js';

const id = registerSpan({ name: 'work', category: 'test' });

/** What is read of the spans of a request that took so many nanoseconds. */
function throughTape(slots: SpanSlots, whole: number): ReturnType<typeof readSpanList>['timeline'] {
  const pack = new PackWriter();
  const writer = new SpanListWriter(pack);
  pack.begin();
  pack.shapes.begin();
  writer.describe(slots);
  pack.number(pack.shapes.end());
  writer.write(slots, whole);
  pack.number(12_345);
  const reader = new PackReader(pack.seal());
  reader.open(0);
  const { timeline } = readSpanList(reader.shape(reader.number()), reader);
  assert.equal(reader.number(), 12_345, 'what comes behind is where it was');
  return timeline;
}

describe('a list of spans', () => {
  it('ends what is open with the request, and not before it began', () => {
    // The end is told by another clock, which may be a little behind.
    for (const whole of [0, -1e6, 5e6, 3e11]) {
      const slots = SpanSlots.take();
      slots.leave(slots.enter(id, true), 0, true);
      slots.enter(id, true);
      const [first, open] = throughTape(slots, whole);
      assert.deepEqual([first?.name, first?.durationMs, first?.open], ['work', 0, undefined]);
      assert.deepEqual([open?.durationMs, open?.open], [Math.max(0, whole) / 1e6, true]);
    }
  });

  it('ends when it ends, also where its last spans had no room', async () => {
    const slots = SpanSlots.take();
    for (let count = 0; count < mostSpans + 1; count++) slots.leave(slots.enter(id, true), 0, true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(slots.dropped, 1);
    assert.ok(slots.now(true) - slots.start >= 15);
  });

  it('of a request without any is empty', () => {
    assert.deepEqual(throughTape(SpanSlots.take(), 1e6), []);
  });
});
