import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dump } from './dump-value.js';
import { renderLeafText, renderSnapshotLine, renderSnapshotText } from './render-snapshot-text.js';

const textOf = (value: unknown, limits = {}): string => renderSnapshotText(dump(value, limits));

describe('a snapshot as text', () => {
  it('has a line for each member, indented by depth', () => {
    assert.equal(
      textOf({ name: 'tea', tags: ['hot', 1], none: {} }),
      '{\n  name: "tea"\n  tags: (2) [\n    "hot"\n    1\n  ]\n  none: {}\n}'.replace('(2) [', 'Array(2) ['),
    );
  });

  it('names classes other than the obvious ones', () => {
    class Basket {
      count = 1;
    }
    assert.match(textOf(new Basket()), /^Basket \{\n {2}count: 1\n\}$/);
    assert.match(textOf(new Map([['a', 1]])), /^Map\(1\) \{\n {2}"a" => 1\n\}$/);
    assert.match(textOf(new Map([[1, 'a']])), /\n {2}1 => "a"\n/);
  });

  it('shows the size instead of an obvious class', () => {
    assert.equal(renderSnapshotLine({ type: 'object', length: 2, entries: [] }), '(2) {}');
  });

  it('marks omissions and the reason', () => {
    assert.match(textOf([1, 2, 3], { entries: 2 }), /… 1 more/);
    assert.match(textOf({ a: { b: { c: 1 } } }, { depth: 1 }), /… not expanded/);
    assert.match(textOf('x'.repeat(50), { text: 10 }), /^"x{10}" … 40 more characters$/);
  });

  it('refers back to repeated values, and runs or shows nothing hidden', () => {
    const circle: Record<string, unknown> = { password: 'geheim' };
    circle['self'] = circle;
    const text = textOf(circle);
    assert.match(text, /^\*1 /);
    assert.match(text, /self: \[seen above, \*1\]/);
    assert.match(text, /password: \[redacted\]/);
    assert.match(
      textOf({
        get a() {
          return assert.fail('it ran');
        },
      }),
      /a: \[getter, not run\]/,
    );
    assert.equal(textOf(new Proxy({}, {})), '[Proxy]');
  });

  it('is one line for each leaf, of any type', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: false,
      withSet: false,
      maxDepth: 0,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const snapshot = dump(value);
        if (snapshot.entries !== undefined) return;
        assert.doesNotMatch(renderLeafText(snapshot), /\n/);
        assert.ok(renderLeafText(snapshot).length > 0);
      }),
    );
  });

  it('has as many lines as members and brackets', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const count = (part: unknown): number => {
          if (typeof part !== 'object' || part === null) return 1;
          const members: unknown[] = Array.isArray(part) ? part : Object.values(part);
          return members.length === 0 ? 1 : 2 + members.reduce((sum: number, one) => sum + count(one), 0);
        };
        const snapshot = dump(value, { redactor: { ...plainRedactor } });
        assert.equal(renderSnapshotText(snapshot).split('\n').length, count(value));
      }),
    );
  });
});

const same = (text: string): string => text;
const plainRedactor = {
  isSecretName: () => false,
  value: (_: string, value: string) => value,
  text: same,
  url: same,
  query: same,
  json: same,
  multipart: same,
  headers: (flat: readonly string[]) => flat,
};

describe('a snapshot on one line', () => {
  const line = (value: unknown, maxLength?: number, limits = {}): string =>
    renderSnapshotLine(dump(value, limits), maxLength);

  it('has its members in brackets, and marks omissions', () => {
    assert.equal(line({ a: 1, b: [true, 'x'] }), '{ a: 1, b: Array(2) [ true, "x" ] }');
    assert.equal(line([1, 2, 3], 120, { entries: 2 }), 'Array(3) [ 1, 2, … 1 more ]');
    assert.equal(line({ a: 1, b: 2, c: 3 }, 120, { entries: 1 }), '{ a: 1, … 2 more }');
    assert.deepEqual([line([]), line({}), line('x')], ['Array(0) []', '{}', '"x"']);
  });

  it('is truncated at the given length, 120 characters by default', () => {
    const text = 'x'.repeat(200);
    for (const [value, maxLength] of [
      [text, 120],
      [[text], 120],
      [text, 10],
      [{ a: text }, 10],
    ] as const) {
      // prettier-ignore
      const cut = maxLength === 120 ? line(value) : line(value, maxLength);
      assert.deepEqual([cut.length, cut.at(-1)], [maxLength, '…']);
    }
    assert.equal(line('x'.repeat(118)).length, 120);
    assert.equal(line('x'.repeat(118)).at(-1), '"');
  });
});
